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

/**
 * Returns whether the text contains a tab, a line end, another control character, or a character that changes the
 * writing direction. The latter can make a name look like another one.
 */
export function hasControls(text: string): boolean {
  return /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text)
}

/** Removes characters that change the writing direction. */
export function withoutBidiControls(text: string): string {
  return text.replaceAll(/\p{Bidi_Control}/gu, '')
}

/**
 * Returns the text as one trimmed line for which `hasControls` returns false. Each run of white space and control
 * characters becomes a space.
 * @example toLine(' a\r\n\u202eb') // 'a b'
 */
export function toLine(text: string): string {
  return withoutBidiControls(text)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
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
