import { hash } from 'node:crypto'
import { type FrozenQuestion, freezeQuestion } from '../questions/frozen.js'
import { chanceOfPassing, countDraws } from '../questions/guess.js'
import { type LintFinding, lintQuestion } from '../questions/lint.js'
import { orderKeys, type TestDefinition } from './definition.js'
import type { QuestionCard, ResolvedSection } from './sections.js'

export interface TestFinding extends LintFinding {
  card_id: number | null
  question: string
}

export interface PreparedVersion {
  open_questions: boolean
  /** Number of questions to draw from */
  questions: number
  /** Number of questions per attempt */
  drawn: number
  /** Number of different sets of questions that an attempt can draw */
  draws: bigint
  /** Chance to pass by guessing in any of the attempts, in percent */
  guess_percent: number
  /** The first 500 findings */
  findings: TestFinding[]
  findings_total: number
}

const MAX_FINDINGS = 500

/** Returns the SHA-256 of the definition, the questions and `hasOpenQuestions`, independent of random ids. */
export function digestVersion(definition: TestDefinition, sections: readonly ResolvedSection[]): Buffer {
  const frozen = sections.map((section) => freezeNumbered(section))
  const text = JSON.stringify([orderKeys(definition), hasOpenQuestions(sections), frozen])
  return Buffer.from(hash('sha256', text, 'hex'), 'hex')
}

/** Returns whether any section draws from a deck that learners can study. */
export function hasOpenQuestions(sections: readonly ResolvedSection[]): boolean {
  return sections.some((section) => section.isOpen)
}

export function prepareVersion(definition: TestDefinition, sections: readonly ResolvedSection[]): PreparedVersion {
  const { pass_percent, multiple, attempts } = definition
  const chance = chanceOfPassing(
    sections.map((section) => ({ draw: section.draw, questions: freezeNumbered(section) })),
    { passPercent: pass_percent, multiple, attempts },
  )
  const findings = sections.flatMap(({ cards }) => cards.flatMap(findingsOf))
  return {
    open_questions: hasOpenQuestions(sections),
    questions: sections.reduce((sum, { cards }) => sum + cards.length, 0),
    drawn: sections.reduce((sum, { draw }) => sum + draw, 0),
    draws: countDraws(sections.map(({ cards, draw }) => ({ pool: cards.length, draw }))),
    guess_percent: Number((100 * chance).toPrecision(4)),
    findings: findings.slice(0, MAX_FINDINGS),
    findings_total: findings.length,
  }
}

export function freezeSection({ cards }: ResolvedSection, newId: () => string): FrozenQuestion[] {
  return cards.map((card) => freezeQuestion(card, newId))
}

function findingsOf(card: QuestionCard): TestFinding[] {
  return lintQuestion(card).map((finding) => ({ ...finding, card_id: card.id, question: card.question }))
}

function freezeNumbered({ cards }: ResolvedSection): FrozenQuestion[] {
  return cards.map((card) => freezeQuestion(card, countIds()))
}

/** Returns a function that returns the ids 0, 1, 2 and so on, so that a digest does not depend on random ids. */
function countIds(): () => string {
  let count = 0
  return () => String(count++)
}
