import { lintQuestion } from '../../questions/lint.js'
import type { CardSource, DeckSource, SheetSource, Warning } from '../types.js'
import type { Plan } from './types.js'

/** Maximum number of warnings that are returned; `total` counts all warnings */
const MAX_WARNINGS = 200

export interface LintWarnings {
  warnings: Warning[]
  total: number
}

/** Checks the new and changed questions of a plan in short steps, so that other work can run in between. */
export function* lintPlan<Card extends CardSource>(
  { newCards, changedCards }: Pick<Plan<DeckSource, Card, SheetSource>, 'newCards' | 'changedCards'>,
  fileOf: (deck: DeckSource, card: Card) => string,
): Generator<void, LintWarnings> {
  const found: LintWarnings = { warnings: [], total: 0 }
  for (const { deck, card } of [...newCards, ...changedCards]) {
    if (card.exercise === null) continue
    for (const { message } of lintQuestion(card)) {
      found.total++
      if (found.warnings.length >= MAX_WARNINGS) continue
      found.warnings.push({ file: fileOf(deck, card), line: card.line, message })
    }
    yield
  }
  return found
}
