/** Where a piece of text stands in its line. */
export interface Place {
  isLineStart: boolean
  isLineEnd: boolean
  /** Within the words of a link, where brackets would end it. */
  isLinked: boolean
  /** Within a cell of a table, which ends at a bar. */
  isCell: boolean
}

const SPECIAL = /[\\`*_<&~![\]|]/g
const PUNCTUATION = /[!-/:-@[-`{-~]/
const ENTITY = /^&(?:[a-z][a-z0-9]{1,31}|#[0-9]{1,7}|#x[0-9a-f]{1,6});/i
/** What a line of only this may be: an underlining, a rule, the line below the headings of a table. */
const RULE = /^[-=_|:\s]+$/

/**
 * Text as Markdown that shows it letter by letter. Only what could mean something is escaped, so that it reads well as it
 * stands; what the neighbours of the piece make of its ends is not known, so these are escaped on suspicion. A `<` that
 * could begin a tag becomes an entity: no reader of the text takes that for HTML.
 */
export function escapeText(text: string, place: Place): string {
  const escaped = text.replace(SPECIAL, (character, at: number) => escapeOne(character, text, at, place))
  if (!place.isLineStart) return escaped
  if (place.isLineEnd && RULE.test(text)) return escaped.startsWith('\\') ? escaped : `\\${escaped}`
  return escapeStart(escaped)
}

function escapeOne(character: string, text: string, at: number, place: Place): string {
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
      // What comes later may hold the bracket that makes a definition of it.
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

/** A half of a pair counts as none: the mark is then escaped, which is always right. */
function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character)
}

/** Code within a line. */
export function codeSpan(text: string, isCell: boolean): string {
  const fence = '`'.repeat(longestRun(text) + 1)
  const pad = /^`|`$|^ .* $/s.test(text) ? ' ' : ''
  return `${fence}${pad}${isCell ? text.replaceAll('|', '\\|') : text}${pad}${fence}`
}

/** A block of code. */
export function fence(text: string, language: string): string {
  const marks = '`'.repeat(Math.max(longestRun(text) + 1, 3))
  return `${marks}${language}\n${text}\n${marks}`
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** The target of a link; undefined when it leads anywhere but into the web or to a mailbox. */
export function linkTarget(address: string): string | undefined {
  const trimmed = address.trim()
  if (!/^(?:https?:\/\/|mailto:)[^\s]/i.test(trimmed) || trimmed.length > 2_000) return undefined
  return trimmed
    .replace(/[\s<>()\\"|*_`[\]]/g, (character) =>
      character === '_' ? character : `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .replaceAll('&', '&amp;')
}
