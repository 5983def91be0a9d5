import { type LintFinding, lintQuestion } from '../../questions/lint.js'
import type { Finding } from '../findings.js'
import { findBlocks } from '../format/blocks.js'
import type { CardSource, DeckSource, SheetSource } from '../types.js'
import type { Plan } from './types.js'

const CARD_HEADING = /^##[ \t]/m
const OPENING_FENCE = /^ {0,3}(`{3,}|~{3,})/
const CLOSING_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*$/
const OPEN_BLOCK = {
  code: 'open_block',
  details: {},
  message: 'Der letzte Codeblock der Antwort ist nicht geschlossen: die Überschriften ## darin beginnen keine Karte',
}

/** Checks the new and changed cards of a plan in short steps, so that other work can run in between. */
export function* lintPlan<Card extends CardSource>(
  { newCards, changedCards }: Pick<Plan<DeckSource, Card, SheetSource>, 'newCards' | 'changedCards'>,
  fileOf: (deck: DeckSource, card: Card) => string,
  warn: (warning: Finding) => void,
): Generator<void, void> {
  for (const { deck, card } of [...newCards, ...changedCards]) {
    if (card.exercise === null && !CARD_HEADING.test(card.answer)) continue
    for (const weakness of lintCard(card)) {
      warn({ file: fileOf(deck, card), line: card.line, kind: weakness.code, ...weakness })
    }
    yield
  }
}

function lintCard(card: CardSource): Omit<LintFinding, 'rule'>[] {
  const found = card.exercise === null ? [] : lintQuestion(card)
  const warnings = found.map(({ code, details, message }) => ({ code, details, message }))
  return hasOpenBlock(card.answer) ? [...warnings, OPEN_BLOCK] : warnings
}

/** Returns whether the text ends with a code block that is not closed and contains a heading of depth 2. */
function hasOpenBlock(text: string): boolean {
  if (!CARD_HEADING.test(text)) return false
  const last = findBlocks(text).at(-1)
  if (last?.type !== 'fence') return false
  const lines = text.split('\n').slice(last.line, last.end)
  if (!lines.some((line) => CARD_HEADING.test(line))) return false
  const mark = OPENING_FENCE.exec(lines[0] ?? '')?.[1] ?? ''
  return !CLOSING_FENCE.exec(lines.at(-1) ?? '')?.[1]?.startsWith(mark)
}
