import { toPlainText } from '../../search/plain-text.js'
import { wordsOf } from '../../search/words.js'

const COMMON = new Set(
  'bedeutet beim dabei dann dass dein deine diese diesem diesen dieser dieses durch eine einem einen einer eines gibt haben heißt kann lautet macht machen nicht oder sich sind steht über und viele vom wann warum welche welchem welchen welcher welches wenn werden wird wofür wozu zwischen'.split(
    ' ',
  ),
)
const MIN_RARE_LENGTH = 4
const RARE_WORDS = 4
const THRESHOLD = 0.5

export function questionWords(question: string): Set<string> {
  return wordsOf(toPlainText(question))
}

/**
 * Returns all pairs of the up to four longest rare words; a similar question probably contains at least one of the
 * pairs. Rare words have at least four characters and are not in `COMMON`. With fewer than two rare words, returns a
 * single group: the rare word, or all words.
 * @example wordPairs(new Set(['was', 'macht', 'stash', 'push'])) // [['stash', 'push']]
 */
export function wordPairs(words: ReadonlySet<string>): string[][] {
  const rare = [...words].filter((word) => word.length >= MIN_RARE_LENGTH && !COMMON.has(word))
  const [first, ...rest] = rare.sort((a, b) => b.length - a.length).slice(0, RARE_WORDS)
  if (first === undefined) return words.size === 0 ? [] : [[...words]]
  if (rest.length === 0) return [[first]]
  const longest = [first, ...rest]
  return longest.flatMap((one, index) => longest.slice(index + 1).map((other) => [one, other]))
}

/**
 * Returns the share of words that both sets contain (Dice coefficient), from 0.5 to 1; 0 if it is less than 0.5.
 * @example similarityOf(new Set(['a', 'b']), new Set(['a', 'b'])) // 1
 */
export function similarityOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0
  for (const word of one) if (other.has(word)) common++
  const share = (2 * common) / Math.max(one.size + other.size, 1)
  return share < THRESHOLD ? 0 : share
}
