import { findListItems } from '../content/format/blocks.js'
import { toPlainText } from '../search/plain-text.js'
import { type Exercise, type ExerciseOption, findItems, GAP, readGap, showGaps } from './exercise.js'
import { readNumber, withoutUnit } from './number.js'

/** An option with an id that is unique within the question and random in each published version */
export interface FrozenOption extends ExerciseOption {
  id: string
}

/** An item to order; a question stores its items in the right order. */
export interface FrozenItem {
  id: string
  /** Markdown */
  text: string
}

export interface FrozenGap {
  id: string
  /** Plain texts */
  accepted: string[]
  /** Plain texts to choose from, sorted so that the order does not reveal the accepted ones; absent for a typed gap */
  choices?: string[]
}

/** Options and accepted answers of a question, as a published version stores them. Plain JSON. */
export type FrozenForm =
  | { form: 'single' | 'multiple'; options: FrozenOption[] }
  | { form: 'text'; accepted: string[] }
  | { form: 'number'; accepted: number[]; tolerance: number; unit: string | null }
  | { form: 'order'; items: FrozenItem[] }
  /** `text` is Markdown where `{{id}}` stands for a gap. */
  | { form: 'gaps'; text: string; gaps: FrozenGap[] }

/** A copy of a question; later edits of the card do not change this copy. */
export type FrozenQuestion = FrozenForm & {
  /** Markdown */
  question: string
  /** Markdown; shown after judging */
  explanation: string
}

/**
 * Copies the question of a card with an exercise that `parseExercise` has accepted.
 * @param newId returns an id that is unique within the question
 * @example freezeQuestion({ question: 'Port?', answer: '22', exercise }, randomUUID).form // 'single'
 */
export function freezeQuestion(
  card: { question: string; answer: string; exercise: Exercise },
  newId: () => string,
): FrozenQuestion {
  return { ...freezeForm(card, newId), question: card.question, explanation: showGaps(card.answer, card.exercise.form) }
}

function freezeForm({ answer, exercise }: { answer: string; exercise: Exercise }, newId: () => string): FrozenForm {
  switch (exercise.form) {
    case 'choice':
      return freezeChoice(answer, exercise.options, newId)
    case 'text':
      return { form: 'text', accepted: [answer, ...exercise.options.map(({ text }) => text)].map(toPlainText) }
    case 'number':
      return freezeNumber(answer, exercise)
    case 'order':
      return { form: 'order', items: itemsOf(answer).map((text) => ({ id: newId(), text })) }
    case 'gaps':
      return freezeGaps(answer, newId)
  }
}

function freezeChoice(answer: string, options: readonly ExerciseOption[], newId: () => string): FrozenForm {
  const right = options.filter(({ correct }) => correct).length
  const all = right === 0 ? [{ text: answer, correct: true, feedback: null }, ...options] : options
  const frozen = all.map(({ text, correct, feedback }) => ({ id: newId(), text, correct, feedback }))
  return { form: right > 1 ? 'multiple' : 'single', options: frozen }
}

function freezeNumber(answer: string, { options, tolerance, unit }: Exercise): FrozenForm {
  const accepted = [answer, ...options.map(({ text }) => text)]
    .map((text) => readNumber(withoutUnit(text, unit)))
    .filter((number) => typeof number === 'number')
  return { form: 'number', accepted, tolerance: tolerance ?? 0, unit }
}

const NUMBERED = /^( {0,3}\d{1,9}[.)])[ \t]*/

function itemsOf(answer: string): string[] {
  const list = findItems(answer)
  if (list === undefined) return []
  const lines = answer.split('\n').slice(list.line, list.end)
  return findListItems(lines.join('\n')).map(({ line, end }) => {
    const [first = '', ...rest] = lines.slice(line, end)
    const indent = NUMBERED.exec(first)?.[0].length ?? 0
    const dedented = rest.map((text) => text.slice(Math.min(indent, text.length - text.trimStart().length)))
    return [first.slice(indent), ...dedented].join('\n').trim()
  })
}

function freezeGaps(answer: string, newId: () => string): FrozenForm {
  const gaps: FrozenGap[] = []
  const text = answer.replaceAll(GAP, (whole, inside: string) => {
    const { accepted, wrong } = readGap(inside)
    if (accepted.length === 0) return whole
    const choices = wrong.length === 0 ? {} : { choices: sortChoices([...accepted, ...wrong]) }
    const gap = { id: newId(), accepted, ...choices }
    gaps.push(gap)
    return `{{${gap.id}}}`
  })
  return { form: 'gaps', text, gaps }
}

const COLLATOR = new Intl.Collator('de', { numeric: true })

function sortChoices(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort((one, other) => COLLATOR.compare(one, other) || (one < other ? -1 : 1))
}
