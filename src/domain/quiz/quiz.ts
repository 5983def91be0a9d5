import { InvalidField } from '../refusal.js'
import { parseNumber } from '../text/parameters.js'
import { shorten } from '../text/text.js'

const DEFAULT_COUNT = 10
const MAX_COUNT = 50

export const MAX_WRONG_OPTIONS = 3
/** Maximum length of an option in code points; longer ones are cut. */
const OPTION_LENGTH = 120

/** Maximum number of distinct answers in the pool of wrong options */
export const POOL_SIZE = 200

export interface QuizCard {
  card_id: number
  question: string
  answer: string
  deck_name: string
}

export interface QuizQuestion {
  card_id: number
  question: string
  /** Shortened, in random order */
  options: string[]
  /** First position in `options` with the text of the right answer */
  correct_index: number
  full_answer: string
  deck_name: string
}

/** Returns a random number in [0, 1), like `Math.random`. */
export type Random = () => number

/**
 * Parses the number of questions: 10 if absent or empty, otherwise clamped to 1…50.
 * @throws InvalidInput if it is not a number
 * @example parseCount('70') // 50
 */
export function parseCount(count: string | undefined): number {
  return parseNumber(count, 'count', { minimum: 1, maximum: MAX_COUNT, fallback: DEFAULT_COUNT })
}

export function buildQuestion(card: QuizCard, others: readonly string[], random: Random = Math.random): QuizQuestion {
  const { card_id, question, answer, deck_name } = card
  const wrong = others.map((text) => shorten(text, OPTION_LENGTH))
  return {
    ...arrange(shorten(answer, OPTION_LENGTH), wrong, random),
    card_id,
    question,
    full_answer: answer,
    deck_name,
  }
}

/** Returns the right option and at most three wrong ones in random order, with the first position of the right one. */
export function arrange(
  correct: string,
  wrong: readonly string[],
  random: Random,
): Pick<QuizQuestion, 'options' | 'correct_index'> {
  const options = shuffle([correct, ...sample(wrong, MAX_WRONG_OPTIONS, random)], random)
  return { options, correct_index: options.indexOf(correct) }
}

/**
 * Converts a submitted value to an integer: numbers are truncated, booleans become 1 and 0, a string becomes its
 * leading integer, anything else becomes 0.
 * @throws InvalidInput naming the field if the number is beyond ±(2^53 − 1)
 * @example toInteger('12abc', 'total') // 12
 */
export function toInteger(value: unknown, field: string): number {
  const number = leadingNumber(value)
  if (!Number.isSafeInteger(number)) throw new InvalidField(field, 'ist zu groß')
  // Adding zero turns −0 into 0.
  return number + 0
}

function leadingNumber(value: unknown): number {
  if (typeof value === 'number') return Math.trunc(value)
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'string') return 0
  const number = Number.parseInt(value, 10)
  return Number.isNaN(number) ? 0 : number
}

/**
 * Returns round(correct / total * 100), half away from zero; 0 if total is not positive. Uses integers, because in
 * floating point, 29 / 200 * 100 is less than 14.5.
 * @example scorePercent(29, 200) // 15n
 */
export function scorePercent(correct: number, total: number): bigint {
  if (total <= 0) return 0n
  const size = BigInt(Math.abs(correct))
  const rounded = (size * 200n + BigInt(total)) / (2n * BigInt(total))
  return correct < 0 ? -rounded : rounded
}

/** Returns `size` random elements, or all if there are fewer; every subset is equally likely. */
function sample<T>(items: readonly T[], size: number, random: Random): T[] {
  const rest = [...items]
  const chosen: T[] = []
  while (chosen.length < size && rest.length > 0) {
    const index = Math.floor(random() * rest.length)
    const last = rest.pop() as T
    if (index === rest.length) chosen.push(last)
    else {
      chosen.push(rest[index] as T)
      rest[index] = last
    }
  }
  return chosen
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  return sample(items, items.length, random)
}
