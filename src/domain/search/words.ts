/** A run of letters and digits with their combining marks */
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** Maximum length of a word in code units; a longer word is cut before it is folded. */
const MAX_LENGTH = 100
const FOLDED = /^[a-z0-9]+$/

/** A word in comparable form with its position in UTF-16 code units. */
export interface Word {
  folded: string
  start: number
  end: number
}

export function* findWords(text: string): Generator<Word> {
  for (const match of text.matchAll(WORD)) {
    const [word] = match
    yield { folded: foldWord(word), start: match.index, end: match.index + word.length }
  }
}

/**
 * Folds a word for comparison: cuts it to 100 code units and converts it to lower case and NFC.
 * @example foldWord('ÄPFEL') // 'äpfel'
 */
export function foldWord(word: string): string {
  const short = word.length > MAX_LENGTH ? word.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '') : word
  if (FOLDED.test(short)) return short
  return short.normalize('NFC').toLowerCase().normalize('NFC')
}

/** Maximum number of distinct words of a text; limits the work for a pasted log file. */
const MAX_WORDS = 20_000

export function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const { folded } of findWords(text)) {
    words.add(folded)
    if (words.size >= MAX_WORDS) break
  }
  return words
}

const UMLAUTS = { ae: 'ä', oe: 'ö', ue: 'ü', ä: 'ae', ö: 'oe', ü: 'ue' } as Record<string, string>

/** Returns the word, its spelling with umlauts for `ae`, `oe` and `ue`, and its spelling without umlauts. */
export function spellingsOf(word: string): string[] {
  const replaced = (pattern: RegExp) => word.replace(pattern, (letters) => UMLAUTS[letters] ?? letters)
  return [...new Set([word, replaced(/[aou]e/g), replaced(/[äöü]/g)])]
}

const MIN_CORRECTED_LENGTH = 5
const LETTERS = [...'abcdefghijklmnopqrstuvwxyzäöüß0123456789']

/**
 * Returns the words that differ from the given word by one wrong, missing or extra letter or two swapped neighbours.
 * Inserts only letters of `LETTERS`. The list is empty for a word of fewer than five letters.
 */
export function neighboursOf(word: string): string[] {
  const letters = [...word]
  if (letters.length < MIN_CORRECTED_LENGTH) return []
  const found = new Set<string>()
  for (let index = 0; index <= letters.length; index++) {
    const before = letters.slice(0, index).join('')
    const [letter = '', next = ''] = letters.slice(index, index + 2)
    const behind = letters.slice(index + 1).join('')
    for (const other of LETTERS) {
      found.add(before + other + letter + behind)
      if (letter !== '') found.add(before + other + behind)
    }
    if (letter !== '') found.add(before + behind)
    if (next !== '') found.add(before + next + letter + letters.slice(index + 2).join(''))
  }
  found.delete(word)
  return [...found]
}

/** Maximum number of neighbours per query */
export const MAX_NEIGHBOURS = 4_000

/**
 * Returns the neighbours of all words, and those of their other spellings as far as `MAX_NEIGHBOURS` allows; `place`
 * is the index of the word. Returns undefined if the neighbours of the words as written exceed the limit, for example
 * for nine words of five letters or one word of 49 letters.
 */
export function neighboursOfAll(words: readonly string[]): { place: number; word: string }[] | undefined {
  const own = words.map((word, place) => ({ place, word }))
  const others = own.flatMap(({ place, word }) => spellingsOf(word).map((spelling) => ({ place, word: spelling })))
  let left = MAX_NEIGHBOURS - own.reduce((sum, { word }) => sum + countNeighbours(word), 0)
  if (left < 0) return undefined
  const fitting = others.filter(({ place, word }) => {
    if (word === words[place]) return false
    const count = countNeighbours(word)
    if (count > left) return false
    left -= count
    return true
  })
  return [...own, ...fitting].flatMap(({ place, word }) => neighboursOf(word).map((like) => ({ place, word: like })))
}

/** Returns an upper bound of the number of neighbours without building them. */
function countNeighbours(word: string): number {
  const { length } = [...word]
  return length < MIN_CORRECTED_LENGTH ? 0 : (2 * length + 1) * LETTERS.length + 2 * length
}

/** Minimum length of a part of a compound; shorter parts are syllables rather than words. */
const MIN_COMPOUND_PART_LENGTH = 3

/** Returns the splits of a word into two parts of at least three letters, the most even split first. */
export function splitWord(word: string): [left: string, right: string][] {
  const letters = [...word]
  const places = letters.map((_, place) => place).slice(MIN_COMPOUND_PART_LENGTH, 1 - MIN_COMPOUND_PART_LENGTH)
  return places
    .sort((one, other) => Math.abs(one - letters.length / 2) - Math.abs(other - letters.length / 2))
    .map((place) => [letters.slice(0, place).join(''), letters.slice(place).join('')])
}

const COMPOUND_GAP = /^[\s-]{1,3}$/

/**
 * Returns whether a word of `left` is directly followed by a word of `right` in the text. Only one to three characters,
 * white space or hyphens, may separate them.
 */
export function hasPair(text: string, left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  let end: number | undefined
  for (const word of findWords(text)) {
    if (end !== undefined && right.has(word.folded) && COMPOUND_GAP.test(text.slice(end, word.start))) return true
    end = left.has(word.folded) ? word.end : undefined
  }
  return false
}
