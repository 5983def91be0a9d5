/** Control characters, line separators and characters that change the writing direction */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu
const UNPRINTABLE_IN_LINES = /(?![\t\n])[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu

/**
 * Escapes unprintable characters for a terminal, for example as `\u001b`. Tabs and newlines stay, because they are part
 * of the layout.
 * @example escapeControlCharacters('a\u001bb') // 'a\\u001bb'
 */
export function escapeControlCharacters(text: string): string {
  return text.replaceAll(UNPRINTABLE_IN_LINES, toEscape)
}

/**
 * Escapes a field of a line, including tabs and newlines, so that a value cannot forge a field or a line.
 * @example escapeField('a\tb') // 'a\\u0009b'
 */
export function escapeField(text: string): string {
  return text.replaceAll(UNPRINTABLE, toEscape)
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
