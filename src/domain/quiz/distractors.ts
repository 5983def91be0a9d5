import { toPlainText } from '../search/plain-text.js'

/** An answer of a deck, as a wrong option for other cards of the same deck. */
export interface Candidate {
  card_id: number
  question: string
  answer: string
  level: string
}

export interface Prepared extends Candidate {
  /** Lower case, without Markdown and punctuation */
  text: string
  kind: string
  /** Trigrams of answer and question, computed on first use, because few candidates are compared */
  answerTrigrams(): ReadonlySet<string>
  questionTrigrams(): ReadonlySet<string>
}

/** Maximum similarity to the right answer, from 0 to 1; a more similar option may be right as well. */
const TOO_SIMILAR = 0.85
/** Maximum similarity between two wrong options, from 0 to 1 */
const TOO_ALIKE = 0.8
/** Maximum number of candidates whose trigrams are compared; others differ more in length from the right answer. */
const COMPARED = 60
const MIN_WORD_LENGTH = 4
/** Maximum length of a text that is compared, in UTF-16 code units; only the start of a longer text counts. */
const MAX_COMPARED_LENGTH = 2_000

export function prepareCandidate(candidate: Candidate): Prepared {
  const answer = candidate.answer.slice(0, MAX_COMPARED_LENGTH)
  const plain = toPlainText(answer)
  const text = normalise(plain)
  return {
    ...candidate,
    text,
    kind: kindOf(answer, plain),
    answerTrigrams: once(() => trigramsOf(text)),
    questionTrigrams: once(() => trigramsOf(normalise(candidate.question))),
  }
}

function once<T>(compute: () => T): () => T {
  let result: T | undefined
  return () => {
    result ??= compute()
    return result
  }
}

/**
 * Returns at most `limit` answers of the deck as wrong options for a card, the best first. All are of the same kind as
 * the right answer, and not too similar to it or to each other. Answers of similar length and form, and to similar
 * questions, are better. The result is deterministic.
 * @param key text of the right option
 * @param kinds whether answers of another kind are possible as well
 */
export function rankDistractors(
  card: { card_id: number; question: string; level: string },
  key: string,
  candidates: readonly Prepared[],
  limit: number,
  kinds: 'same' | 'any' = 'same',
): string[] {
  const right = prepareCandidate({ ...card, answer: key })
  const stem = right.questionTrigrams()
  const grams = right.answerTrigrams()
  const asked = wordsOf(normalise(card.question))
  const told = countWords(right.text, asked)
  const nearest = candidates
    .filter(({ card_id, kind }) => card_id !== card.card_id && (kinds === 'any' || kind === right.kind))
    .sort((a, b) => closeness(b.text, right.text) - closeness(a.text, right.text) || a.card_id - b.card_id)
  const scored = takeFirst(nearest, COMPARED, ({ text }) => isApart(text, right.text))
    .map((candidate) => {
      const own = candidate.answerTrigrams()
      return { candidate, own, similarity: dice(own, grams) }
    })
    .filter(({ similarity }) => similarity <= TOO_SIMILAR)
    .map(({ candidate, own, similarity }) => ({
      candidate,
      own,
      score:
        0.3 * closeness(candidate.text, right.text) +
        0.25 * formLikeness(candidate, right) +
        0.25 * stemLikeness(candidate, stem, card.level) +
        0.2 * (1 - Math.abs(similarity - 0.45)) +
        0.3 * Math.min(1, countWords(candidate.text, asked) / Math.max(1, told)),
    }))
    .sort((a, b) => b.score - a.score || a.candidate.card_id - b.candidate.card_id)
  const chosen: typeof scored = []
  for (const one of scored) {
    if (chosen.length === limit) break
    if (chosen.every(({ own }) => dice(own, one.own) <= TOO_ALIKE)) chosen.push(one)
  }
  return chosen.map(({ candidate }) => candidate.answer)
}

function takeFirst<T>(items: readonly T[], count: number, fits: (item: T) => boolean): T[] {
  const taken: T[] = []
  for (const item of items) {
    if (taken.length === count) break
    if (fits(item)) taken.push(item)
  }
  return taken
}

/** Returns false if one text contains all words of the other in a row: both may then be right answers. */
function isApart(one: string, other: string): boolean {
  return one !== '' && !` ${one} `.includes(` ${other} `) && !` ${other} `.includes(` ${one} `)
}

function normalise(text: string): string {
  return text
    .slice(0, MAX_COMPARED_LENGTH)
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** The unit does not begin with characters of the number, because matching it would take quadratic time. */
const NUMBER = /^[-+±~≈<>]?\s*\d[\d.,\s]*(?<unit>[^\d.,\s]\S*)?$/u
/** The white space before the mark does not include line ends, because matching it would take quadratic time. */
const LIST = /^[^\S\n\r\u2028\u2029]*([-*]|\d+[.)])\s/m

/** Returns the kind of an answer; a wrong option of another kind would be easy to rule out. */
function kindOf(answer: string, plain: string): string {
  if (/^(ja|nein)\b/i.test(plain)) return 'yes or no'
  if (/^\s*(```|`[^`]+`\s*$)/.test(answer)) return 'code'
  if (/^\d{1,4}[.-]\d{1,2}[.-]\d{1,4}$|^(18|19|20)\d\d$/.test(plain)) return 'date'
  const number = NUMBER.exec(plain)
  if (number !== null) return `number ${number.groups?.unit ?? ''}`
  if (LIST.test(answer)) return 'list'
  const words = plain.split(/\s+/).length
  if (words <= 2) return 'term'
  return words <= 6 && !/[.!?]$/.test(plain) ? 'phrase' : 'sentence'
}

function closeness(one: string, other: string): number {
  return Math.min(one.length, other.length) / Math.max(one.length, other.length, 1)
}

function formLikeness(one: Prepared, other: Prepared): number {
  const isCapital = ({ answer }: Prepared) => /^\p{Lu}/u.test(answer)
  const ending = ({ text }: Prepared) => text.slice(-2)
  const words = ({ text }: Prepared) => text.split(' ').length
  return (
    (Number(isCapital(one) === isCapital(other)) +
      Number(ending(one) === ending(other)) +
      Number(words(one) === words(other))) /
    3
  )
}

function stemLikeness({ questionTrigrams, level }: Prepared, stem: ReadonlySet<string>, ownLevel: string): number {
  return 0.7 * dice(questionTrigrams(), stem) + 0.3 * Number(level === ownLevel)
}

/** Returns the words that tell something, which are those of at least four letters. */
function wordsOf(text: string): Set<string> {
  return new Set(text.split(' ').filter((word) => word.length >= MIN_WORD_LENGTH))
}

/** Returns how many of these words the text contains; guessers choose the option with the most words of the question. */
function countWords(text: string, words: ReadonlySet<string>): number {
  return [...wordsOf(text)].filter((word) => words.has(word)).length
}

function trigramsOf(text: string): Set<string> {
  const padded = `  ${text} `
  return new Set(Array.from({ length: padded.length - 2 }, (_, index) => padded.slice(index, index + 3)))
}

/** Returns the similarity of two sets of trigrams, from 0 to 1 (Sørensen–Dice coefficient). */
function dice(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0
  for (const gram of one) if (other.has(gram)) common++
  return (2 * common) / Math.max(1, one.size + other.size)
}
