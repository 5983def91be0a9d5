/** Counts Unicode code points. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/**
 * Returns the first `limit` code points, followed by `...` if the text was longer.
 * @example shorten('abcdef', 3) // 'abc...'
 */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  let end = 0
  let count = 0
  for (const character of text) {
    if (count === limit) return `${text.slice(0, end)}...`
    count++
    end += character.length
  }
  return text
}

/** Returns whether the text contains a tab, line end or other control character. */
export function hasControls(text: string): boolean {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
}

/** Returns whether PostgreSQL can store the text: no NUL character and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/**
 * Replaces characters that PostgreSQL cannot store with `\ufffd`.
 * @example toStorable('a\0') // 'a\ufffd'
 */
export function toStorable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}

/** Returns the number of lines: 1 without a line end. */
export function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
