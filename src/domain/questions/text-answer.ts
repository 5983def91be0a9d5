/** A word, or the characters between two words, in comparable form */
export interface TextPart {
  /** Lower case, with `ae`, `oe`, `ue` and `ss` for `ä`, `ö`, `ü` and `ß` */
  folded: string
  /** Lower case, NFC */
  plain: string
}

/** Minimum length of a word that may contain a typing error; shorter words differ too little from other words. */
const MIN_CORRECTED_LENGTH = 5
const SEPARATOR = /([^\p{L}\p{M}\p{N}]+)/u
const LETTERS_ONLY = /^[\p{L}\p{M}]+$/u
const SPELLINGS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' }

/**
 * Returns whether a typed text equals an accepted one, apart from case, the amount of white space, `ß`/`ss`, `ä`/`ae`
 * (also `ö`, `ü`), punctuation at the end and one typing error in an accepted word of at least five letters. Words with
 * digits tolerate no error.
 * @param accepted plain text
 * @example matchesText('datenschuz', 'Datenschutz') // true
 */
export function matchesText(typed: string, accepted: string): boolean {
  const parts = partsOf(typed)
  const expected = partsOf(accepted)
  if (parts.length !== expected.length || expected.every(({ folded }) => folded === '')) return false
  let errors = 0
  for (const [index, part] of parts.entries()) {
    const other = expected[index] as TextPart
    if (part.folded === other.folded) continue
    if (!isTypingError(part, other)) return false
    errors++
  }
  return errors <= 1
}

/**
 * Splits a text into words, at even indexes, and the characters between them.
 * @example partsOf('Größe XL.').map(({ folded }) => folded) // ['groesse', ' ', 'xl']
 */
function partsOf(text: string): TextPart[] {
  const plain = text
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/(?<=[^.,;:!?…\s])[.,;:!?…\s]+$/, '')
  return plain.split(SEPARATOR).map((part) => ({ plain: part, folded: part.replaceAll(/[äöüß]/g, spellOut) }))
}

function spellOut(letter: string): string {
  return SPELLINGS[letter] ?? letter
}

function isTypingError(typed: TextPart, expected: TextPart): boolean {
  if (!LETTERS_ONLY.test(expected.plain) || !LETTERS_ONLY.test(typed.plain)) return false
  if ([...expected.plain].length < MIN_CORRECTED_LENGTH) return false
  return isOneEdit(typed.folded, expected.folded) || isOneEdit(typed.plain, expected.plain)
}

/**
 * Returns whether two texts differ by exactly one wrong, missing or extra character, or by two swapped neighbours.
 * @example isOneEdit('stahs', 'stash') // true
 */
export function isOneEdit(one: string, other: string): boolean {
  const a = [...one]
  const b = [...other]
  if (Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const left = a.slice(start, a.length - end)
  const right = b.slice(start, b.length - end)
  if (left.length <= 1 && right.length <= 1) return left.length + right.length > 0
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}
