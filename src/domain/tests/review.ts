import type { FrozenQuestion } from '../questions/frozen.js'
import type { Answer } from '../questions/judge.js'
import type { ShownId } from './attempt.js'
import type { TestDefinition } from './definition.js'
import { type ShownQuestion, showQuestion } from './view.js'

export type ReviewRules = Pick<TestDefinition, 'review' | 'review_when' | 'closes'>

/**
 * Returns the review rules that apply to an attempt: those of its version, but with the `closes` of the published version
 * if that is later. The test may then still be open, so results and answers must not be revealed yet.
 */
export function currentRules(own: ReviewRules, published: Pick<TestDefinition, 'closes'>): ReviewRules {
  const { closes } = published
  const isExtended = own.closes !== null && closes !== null && closes > own.closes
  return isExtended ? { ...own, closes } : own
}

export interface ReviewState {
  /** Result of `currentRules` */
  rules: ReviewRules
  /** Calendar day as `YYYY-MM-DD` */
  today: string
  /**
   * Whether the person has passed the test. For an attempt in the current period of an assignment, whether the person
   * has passed it in that period.
   */
  hasPassed: boolean
  /** Whether the person has an open attempt at the test */
  hasOpen: boolean
  /** Whether all attempts of the person have ended and no further one is possible */
  isLast: boolean
  /** Whether the published version has no closing day, so that the test stays open */
  isUnlimited: boolean
}

/**
 * Returns whether the person may see the score and the outcome of an attempt. Every response with results of attempts
 * must use this rule.
 */
export function isResultShown({ rules, today }: Pick<ReviewState, 'rules' | 'today'>): boolean {
  const { review, review_when, closes } = rules
  if (review === 'none') return false
  return review_when !== 'closed' || isClosed(closes, today)
}

export function isReviewOpen(state: ReviewState): boolean {
  const { review, review_when } = state.rules
  if (!isResultShown(state)) return false
  if (review === 'result' || review_when === 'now') return true
  // With extra time, an attempt may be open after the test has closed. If a later version removed the closing day, the
  // person may still start attempts with the same questions.
  if (review_when === 'closed' && !state.isUnlimited) return !state.hasOpen
  return state.hasPassed || state.isLast
}

export function isClosed(closes: string | null, today: string): boolean {
  return closes !== null && today > closes
}

/** A question with its right answers, shown after the attempt. */
export interface ReviewedQuestion extends Omit<ShownQuestion, 'options' | 'items' | 'gaps'> {
  options?: { id: string; text: string; correct: boolean; chosen: boolean; feedback: string | null }[]
  /** In the right order */
  items?: { id: string; text: string }[]
  gaps?: { id: string; accepted: string[] }[]
  /** Accepted texts, or numbers with a decimal comma */
  accepted?: string[]
  tolerance?: number
  /** Markdown */
  explanation: string
}

/** Returns a question with its right answers. The caller must check `isReviewOpen` and `review: explanations`. */
export function reviewQuestion(
  frozen: FrozenQuestion,
  places: readonly ShownId[],
  answer: Answer | null,
): ReviewedQuestion {
  const { options: _, items: __, gaps: ___, ...shown } = showQuestion(frozen, places)
  const reviewed = { ...shown, explanation: frozen.explanation }
  switch (frozen.form) {
    case 'single':
    case 'multiple':
      return { ...reviewed, options: reviewOptions(frozen.options, places, answer) }
    case 'text':
      return { ...reviewed, accepted: frozen.accepted }
    case 'number':
      return { ...reviewed, accepted: frozen.accepted.map(inGerman), tolerance: frozen.tolerance }
    case 'order':
      return { ...reviewed, items: frozen.items.map(({ id, text }) => ({ id: placeOf(id, places), text })) }
    case 'gaps':
      return { ...reviewed, gaps: frozen.gaps.map(({ id, accepted }) => ({ id: placeOf(id, places), accepted })) }
  }
}

function reviewOptions(
  options: readonly { id: string; text: string; correct: boolean; feedback: string | null }[],
  places: readonly ShownId[],
  answer: Answer | null,
) {
  const chosen = answer !== null && 'option_ids' in answer ? answer.option_ids : []
  return places.flatMap(({ id, of }) => {
    const option = options.find((one) => one.id === of)
    if (option === undefined) return []
    const { text, correct, feedback } = option
    return [{ id, text, correct, chosen: chosen.includes(id), feedback }]
  })
}

function placeOf(id: string, places: readonly ShownId[]): string {
  return places.find(({ of }) => of === id)?.id ?? id
}

function inGerman(number: number): string {
  return String(number).replace('.', ',')
}
