import { isStorable } from '../text/text.js'
import { isWithin } from './decimal.js'
import { ambiguous } from './exercise.js'
import { ALL, type Fraction, NONE } from './fraction.js'
import type { FrozenForm, FrozenGap, FrozenOption } from './frozen.js'
import { readNumber, withoutUnit } from './number.js'
import {
  AmbiguousNumber,
  ANSWER_TOO_LONG,
  INCOMPLETE_ORDER,
  ONE_OPTION_ONLY,
  OTHER_FORM,
  UNKNOWN_GAP,
  UNKNOWN_OPTION,
  UNSTORABLE_ANSWER,
} from './refusals.js'
import { matchesText } from './text-answer.js'

/** An answer of a learner; numbers are strings as typed. */
export type Answer =
  | { option_ids: string[] }
  | { text: string }
  /** All items in the order of the learner */
  | { item_ids: string[] }
  /** Typed or chosen text by id of the gap; gaps may be absent. */
  | { gaps: Record<string, string> }

/** Scoring of a choice with several right options: `partial` subtracts for wrong boxes, `all` is all or nothing. */
export type MultipleRule = 'partial' | 'all'

/** Maximum length of a typed text in UTF-16 code units */
const MAX_TYPED_LENGTH = 1_000

/**
 * Checks an answer before it is stored.
 * @throws InvalidInput if the answer does not fit the question, is too long or cannot be stored
 * @throws AmbiguousNumber if the number has two readings, such as 1.000
 */
export function checkAnswer(question: FrozenForm, answer: Answer): void {
  switch (question.form) {
    case 'single':
    case 'multiple':
      checkOptions(question, answer)
      break
    case 'text':
    case 'number':
      checkText(question, answer)
      break
    case 'order':
      checkOrder(
        question.items.map(({ id }) => id),
        answer,
      )
      break
    case 'gaps':
      checkGaps(question.gaps, answer)
  }
}

function checkOptions({ form, options }: FrozenForm & { options: FrozenOption[] }, answer: Answer): void {
  if (!('option_ids' in answer)) throw OTHER_FORM
  const chosen = new Set(answer.option_ids)
  const isKnown = [...chosen].every((id) => options.some((option) => option.id === id))
  if (!isKnown || chosen.size < answer.option_ids.length) throw UNKNOWN_OPTION
  if (form === 'single' && chosen.size > 1) throw ONE_OPTION_ONLY
}

function checkText(question: FrozenForm & { form: 'text' | 'number' }, answer: Answer): void {
  if (!('text' in answer)) throw OTHER_FORM
  checkTyped(answer.text)
  if (question.form === 'text') return
  const number = withoutUnit(answer.text, question.unit)
  if (readNumber(number) === 'ambiguous') throw new AmbiguousNumber(ambiguous(number))
}

function checkTyped(text: string): void {
  if (text.length > MAX_TYPED_LENGTH) throw ANSWER_TOO_LONG
  if (!isStorable(text)) throw UNSTORABLE_ANSWER
}

function checkOrder(ids: readonly string[], answer: Answer): void {
  if (!('item_ids' in answer)) throw OTHER_FORM
  const given = new Set(answer.item_ids)
  const isComplete = given.size === ids.length && answer.item_ids.length === ids.length
  if (!isComplete || !ids.every((id) => given.has(id))) throw INCOMPLETE_ORDER
}

function checkGaps(gaps: readonly FrozenGap[], answer: Answer): void {
  if (!('gaps' in answer)) throw OTHER_FORM
  for (const [id, text] of Object.entries(answer.gaps)) {
    const gap = gaps.find((one) => one.id === id)
    if (gap === undefined) throw UNKNOWN_GAP
    checkTyped(text)
    if (text !== '' && gap.choices?.includes(text) === false) throw UNKNOWN_OPTION
  }
}

/**
 * Judges a stored answer. A missing or empty answer, or an answer of another form, scores nothing.
 * @param answer as `checkAnswer` accepted it; null if there is none
 * @example judge({ form: 'text', accepted: ['Rom'] }, { text: 'rom.' }, 'partial') // { part: 1, of: 1 }
 */
export function judge(question: FrozenForm, answer: Answer | null, multiple: MultipleRule): Fraction {
  if (answer === null) return NONE
  switch (question.form) {
    case 'single':
      return 'option_ids' in answer ? judgeOptions(question.options, answer.option_ids, 'all') : NONE
    case 'multiple':
      return 'option_ids' in answer ? judgeOptions(question.options, answer.option_ids, multiple) : NONE
    case 'text':
      return 'text' in answer ? judgeText(question.accepted, answer.text) : NONE
    case 'number':
      return 'text' in answer ? judgeNumber(question, answer.text) : NONE
    case 'order':
      return 'item_ids' in answer ? shareOf(question.items, ({ id }, index) => answer.item_ids[index] === id) : NONE
    case 'gaps':
      return 'gaps' in answer ? judgeGaps(question.gaps, answer.gaps) : NONE
  }
}

/** Scores a choice. The rule `partial` gives `max(0, 1 − 2h/k)`, where h of k boxes are set wrongly. */
function judgeOptions(options: readonly FrozenOption[], chosen: readonly string[], rule: MultipleRule): Fraction {
  if (chosen.length === 0) return NONE
  const wrong = options.filter(({ id, correct }) => chosen.includes(id) !== correct).length
  if (wrong === 0) return ALL
  return rule === 'all' ? NONE : { part: Math.max(0, options.length - 2 * wrong), of: options.length }
}

function judgeText(accepted: readonly string[], typed: string): Fraction {
  return accepted.some((text) => matchesText(typed, text)) ? ALL : NONE
}

function judgeNumber({ accepted, tolerance, unit }: FrozenForm & { form: 'number' }, typed: string): Fraction {
  const number = readNumber(withoutUnit(typed, unit))
  if (typeof number !== 'number') return NONE
  return accepted.some((expected) => isWithin(number, expected, tolerance)) ? ALL : NONE
}

function judgeGaps(gaps: readonly FrozenGap[], given: Readonly<Record<string, string>>): Fraction {
  return shareOf(gaps, ({ id, accepted, choices }) => {
    const text = Object.hasOwn(given, id) ? (given[id] ?? '') : ''
    // Only typed gaps tolerate a typing error: a wrong choice may differ from the right one in one letter.
    return accepted.some((one) => (choices === undefined ? matchesText(text, one) : text === one))
  })
}

function shareOf<T>(places: readonly T[], isRight: (place: T, index: number) => boolean): Fraction {
  return places.length === 0 ? NONE : { part: places.filter(isRight).length, of: places.length }
}

export function rightAnswer(question: FrozenForm): Answer {
  switch (question.form) {
    case 'single':
    case 'multiple':
      return { option_ids: question.options.filter(({ correct }) => correct).map(({ id }) => id) }
    case 'text':
      return { text: question.accepted[0] ?? '' }
    case 'number':
      return { text: typedNumber(question.accepted[0] ?? 0) }
    case 'order':
      return { item_ids: question.items.map(({ id }) => id) }
    case 'gaps':
      return { gaps: Object.fromEntries(question.gaps.map(({ id, accepted }) => [id, accepted[0] ?? ''])) }
  }
}

/** Formats a number as typed in German; a fourth decimal makes the comma of „3,142“ unambiguous. */
function typedNumber(value: number): string {
  const text = String(value).replace('.', ',')
  return readNumber(text) === 'ambiguous' ? `${text}0` : text
}
