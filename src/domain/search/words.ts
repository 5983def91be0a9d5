/** Letters and digits in a row, with the accents that may stand behind a letter. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** What is longer is known by its beginning; an index takes no text of any length. */
const MAX_LENGTH = 100
const FOLDED = /^[a-z0-9]+$/

/** A word of a text: as it is compared, and where it stands in UTF-16 code units. */
export interface Word {
  folded: string
  start: number
  end: number
}

/** The words of a text, in their order. */
export function* findWords(text: string): Generator<Word> {
  for (const match of text.matchAll(WORD)) {
    const [word] = match
    yield { folded: foldWord(word), start: match.index, end: match.index + word.length }
  }
}

/** In lower case, in NFC, and not longer than an index takes. */
export function foldWord(word: string): string {
  const short = word.length > MAX_LENGTH ? word.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '') : word
  if (FOLDED.test(short)) return short
  return short.normalize('NFC').toLowerCase().normalize('NFC')
}

/** More different words than a book has; a log that somebody has pasted must not keep the store busy for minutes. */
const MOST_WORDS = 20_000

/** The different words of a text, the first 20,000 of them, or of what somebody looks for. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const { folded } of findWords(text)) {
    words.add(folded)
    if (words.size >= MOST_WORDS) break
  }
  return words
}

const UMLAUTS = { ae: 'ä', oe: 'ö', ue: 'ü', ä: 'ae', ö: 'oe', ü: 'ue' } as Record<string, string>

/** The word, and as it is written on a keyboard with or without umlauts. */
export function spellingsOf(word: string): string[] {
  const replaced = (pattern: RegExp) => word.replace(pattern, (letters) => UMLAUTS[letters] ?? letters)
  return [...new Set([word, replaced(/[aou]e/g), replaced(/[äöü]/g)])]
}

const SHORTEST_CORRECTED = 5
const LETTERS = [...'abcdefghijklmnopqrstuvwxyzäöüß0123456789']

/**
 * All words from which the word differs by one letter that is wrong, missing or too many, or by two that have changed
 * places; none for a word of fewer than five letters.
 */
export function neighboursOf(word: string): string[] {
  const letters = [...word]
  if (letters.length < SHORTEST_CORRECTED) return []
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
