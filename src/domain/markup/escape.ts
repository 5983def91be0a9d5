export interface TextContext {
  isLineStart: boolean
  isLineEnd: boolean
  /** Whether the text is in a link; an unescaped bracket would end the link text */
  isLinked: boolean
  /** Whether the text is in a table cell; an unescaped bar would end the cell */
  isCell: boolean
}

const SPECIAL = /[\\`*_<&~![\]|]/g
const PUNCTUATION = /[!-/:-@[-`{-~]/
const ENTITY = /^&(?:[a-z][a-z0-9]{1,31}|#[0-9]{1,7}|#x[0-9a-f]{1,6});/i
/** A line that may be a heading underline, a rule or the delimiter row of a table */
const RULE = /^[-=_|:\s]+$/

/**
 * Escapes text so that Markdown shows it literally. To keep the source readable, escapes only characters that could
 * have a meaning. Escapes more at the ends of the text, because the adjacent text is unknown. A `<` that could start a
 * tag becomes an entity, which no Markdown parser treats as HTML.
 * @example escapeText('a*b', { isLineStart: false, isLineEnd: false, isLinked: false, isCell: false }) // 'a\\*b'
 */
export function escapeText(text: string, place: TextContext): string {
  const escaped = text.replace(SPECIAL, (character, at: number) => escapeOne(character, text, at, place))
  if (!place.isLineStart) return escaped
  if (place.isLineEnd && RULE.test(text)) return escaped.startsWith('\\') ? escaped : `\\${escaped}`
  return escapeStart(escaped)
}

function escapeOne(character: string, text: string, at: number, place: TextContext): string {
  const before = text[at - 1]
  const after = text[at + 1]
  const escaped = `\\${character}`
  switch (character) {
    case '`':
      return escaped
    case '\\':
      return after === undefined || PUNCTUATION.test(after) ? escaped : character
    case '*':
      return isSpace(before) && isSpace(after) ? character : escaped
    case '_':
      return isWord(before) && isWord(after) ? character : escaped
    case '<':
      return after !== undefined && /[a-z/!?]/i.test(after) ? '&lt;' : character
    case '&':
      return ENTITY.test(text.slice(at, at + 40)) ? '&amp;' : character
    case '~':
      return before === '~' || after === '~' || before === undefined || after === undefined ? escaped : character
    case '!':
      return after === '[' || (after === undefined && !place.isLineEnd) ? escaped : character
    case '[':
      // A later `]` could turn the text into a link reference definition.
      return place.isLinked || (place.isLineStart && at === 0 && !text.includes(']')) ? escaped : character
    case ']':
      if (place.isLinked || after === '(' || after === ':') return escaped
      return after === undefined && !place.isLineEnd ? escaped : character
    default:
      return place.isCell ? escaped : character
  }
}

function escapeStart(text: string): string {
  if (/^(?:#{1,6}|[-+])(?:\s|$)/.test(text) || text.startsWith('>')) return `\\${text}`
  return text.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character)
}

/**
 * Returns whether the character is a letter or digit. Half of a surrogate pair is neither, so an underscore beside it
 * is escaped, which is always safe.
 */
function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character)
}

/**
 * Writes inline code, with escaped bars in a table cell.
 * @example codeSpan('a|b', true) // '`a\\|b`'
 */
export function codeSpan(text: string, isCell: boolean): string {
  const fence = '`'.repeat(longestRun(text) + 1)
  const pad = /^`|`$|^ .* $/s.test(text) ? ' ' : ''
  return `${fence}${pad}${isCell ? text.replaceAll('|', '\\|') : text}${pad}${fence}`
}

/**
 * Writes a code block in a fence that is longer than any run of backticks in the text.
 * @example fence('ls', 'sh') // '```sh\nls\n```'
 */
export function fence(text: string, language: string): string {
  const marks = '`'.repeat(Math.max(longestRun(text) + 1, 3))
  return `${marks}${language}\n${text}\n${marks}`
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/**
 * Returns the escaped target of a link; undefined unless it is an HTTP, HTTPS or `mailto` URL of at most 2,000
 * characters.
 * @example linkTarget('https://example.org/(a)') // 'https://example.org/%28a%29'
 */
export function linkTarget(address: string): string | undefined {
  const trimmed = address.trim()
  if (!/^(?:https?:\/\/|mailto:)[^\s]/i.test(trimmed) || trimmed.length > 2_000) return undefined
  return trimmed
    .replace(/[\s<>()\\"|*_`[\]]/g, (character) =>
      character === '_' ? character : `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .replaceAll('&', '&amp;')
}
