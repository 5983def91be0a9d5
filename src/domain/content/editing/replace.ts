import type { Exercise } from '../../questions/exercise.js'
import { InvalidInput } from '../../refusal.js'
import { createFinder } from '../../text/find-text.js'
import { MAX_SIDE_LENGTH } from '../../text/limits.js'
import { toNfc } from '../../text/nfc.js'
import { type CardTexts, MARKDOWN_TEXTS } from '../card-texts.js'

export interface Replacement {
  /** Must not be empty */
  find: string
  with: string
  match_case?: boolean | undefined
  /** Whether to skip hits next to a letter, combining mark, digit or `_` */
  whole_word?: boolean | undefined
}

const WORD = /^[\p{L}\p{M}\p{N}_]$/u

/** Validation shortens a text by trimming, by line ends and by NFC; it refuses longer texts anyway, save for blanks. */
const MAX_REPLACED_LENGTH = 2 * MAX_SIDE_LENGTH
const TOO_LONG = new InvalidInput(
  `Nach dem Ersetzen hätte ein Text mehr als ${MAX_SIDE_LENGTH.toLocaleString('de-DE')} Zeichen`,
)

/**
 * Returns a function that replaces all hits in a text and counts them. Texts are compared in NFC, code point by code
 * point. A text with a hit is returned in NFC, a text without a hit unchanged. The function throws InvalidInput if the
 * result would be too long.
 * @example createReplacer({ find: 'ÄPFEL', with: 'Birnen' })('Drei Äpfel') // { text: 'Drei Birnen', hits: 1 }
 */
export function createReplacer({ find, with: replacement, match_case, whole_word }: Replacement) {
  const wanted = toNfc(find)
  const target = toNfc(replacement)
  const findAll = createFinder(wanted, match_case !== true)
  return (text: string): { text: string; hits: number } => {
    const given = toNfc(text)
    let result = ''
    let end = 0
    let hits = 0
    for (const start of findAll(given)) {
      const after = start + wanted.length
      if (start < end || (whole_word === true && !isWholeWord(given, start, after))) continue
      result += given.slice(end, start) + target
      end = after
      hits++
      if (result.length > MAX_REPLACED_LENGTH) throw TOO_LONG
    }
    return hits === 0 ? { text, hits } : { text: result + given.slice(end), hits }
  }
}

function isWholeWord(text: string, start: number, end: number): boolean {
  return !isWordAt(text, startOfCharacterBefore(text, start)) && !isWordAt(text, end)
}

function isWordAt(text: string, offset: number): boolean {
  const point = text.codePointAt(offset)
  return point !== undefined && WORD.test(String.fromCodePoint(point))
}

/** Returns the offset of the code point that ends at `end`; -1 at the start of the text. */
function startOfCharacterBefore(text: string, end: number): number {
  const isPair = (text.codePointAt(end - 2) ?? 0) > 0xffff
  return isPair ? end - 2 : end - 1
}

/** Replaces in Markdown texts and options. Yields after each text and returns the new texts with the number of hits. */
export function* replaceInSteps(
  card: CardTexts,
  replacer: ReturnType<typeof createReplacer>,
): Generator<void, { texts: CardTexts; hits: number }> {
  const { exercise } = card
  let hits = 0
  function* replace(text: string) {
    const result = replacer(text)
    hits += result.hits
    yield
    return result.text
  }
  const options: Exercise['options'] = []
  for (const { text, correct, feedback } of exercise?.options ?? []) {
    options.push({ text: yield* replace(text), correct, feedback: feedback && (yield* replace(feedback)) })
  }
  const texts: CardTexts = { ...card, exercise: exercise && { ...exercise, options } }
  for (const name of MARKDOWN_TEXTS) texts[name] = yield* replace(card[name])
  return { texts, hits }
}
