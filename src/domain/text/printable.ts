/** Control characters, and those that turn the direction of writing or end a line. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu
const UNPRINTABLE_IN_LINES = /(?![\t\n])[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu

/**
 * Text for a terminal: what would steer it, or make one text look like another, is shown as `\u001b`. Tabs and newlines,
 * which lay out our own lines, stay.
 */
export function showControlCharacters(text: string): string {
  return text.replaceAll(UNPRINTABLE_IN_LINES, toEscape)
}

/** The same for a field of a line: a name with a newline or a tab must not look like a line or a field of its own. */
export function toField(text: string): string {
  return text.replaceAll(UNPRINTABLE, toEscape)
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
