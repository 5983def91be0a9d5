import { MAX_NAME_LENGTH } from '../accounts/accounts.js'
import { toNfc } from '../text/nfc.js'
import { isStorable } from '../text/text.js'
import { invalidFilter, invalidPath } from './refusals.js'
import { attributeName } from './schemas.js'

/** Maximum length of a filter or path. Longer ones are refused before they are parsed. */
const MAX_LENGTH = 2_000

/** A comparison with `eq` */
export interface Condition {
  /** Name in lower case, with a dot before a sub-attribute; see `attributeName` */
  attribute: string
  value: string | boolean | null
}

const ATTRIBUTE = /(?:urn:[\w.:-]+|[a-z$][\w$-]*)(?:\.[a-z$][\w$-]*)?/iy
const OPERATOR = /[a-z]+/iy
const LITERAL = /"(?:[^"\\]|\\.)*"|true|false|null|-?\d[\d.]*/iy
const SPACE = /\s*/y
/** `[type eq "work"]` or `[primary eq true]` of an attribute that has one value here, such as `emails` */
const SELECTION = /\[\s*(?:type\s+eq\s+"work"|primary\s+eq\s+(?:true|"true"))\s*\]/iy

/**
 * Parses a filter of comparisons with `eq` that are joined with `and`. All patterns are linear.
 * @throws ScimRefusal `invalidFilter` if the filter is longer than 2,000 characters or has another form
 * @example parseFilter('userName eq "erika" and active eq true')
 * // [{ attribute: 'username', value: 'erika' }, { attribute: 'active', value: true }]
 */
export function parseFilter(text: string): Condition[] {
  if (text.length > MAX_LENGTH) throw invalidFilter(`at most ${MAX_LENGTH} characters are supported`)
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const conditions: Condition[] = []
  do {
    take(SPACE)
    const path = take(ATTRIBUTE)
    if (path === undefined) throw invalidFilter(`an attribute is expected at position ${at}`)
    const selection = take(SELECTION)
    const sub = selection === undefined ? '' : (take(/\.[a-z]+/iy) ?? '')
    const attribute = attributeName(path) + sub.toLowerCase()
    take(SPACE)
    const operator = take(OPERATOR)?.toLowerCase()
    if (operator !== 'eq') throw invalidFilter(`only "eq" is supported, not "${operator ?? text.slice(at, at + 10)}"`)
    take(SPACE)
    const literal = take(LITERAL)
    if (literal === undefined) throw invalidFilter(`a value is expected at position ${at}`)
    conditions.push({ attribute, value: parseLiteral(literal) })
    take(SPACE)
    if (at === text.length) return conditions
  } while (take(OPERATOR)?.toLowerCase() === 'and')
  throw invalidFilter(`"and" or the end is expected at position ${at}`)
}

/**
 * Parses the filter of a list; an absent or empty one selects everything.
 * @throws ScimRefusal `invalidFilter` if it is no text, or under the conditions of `parseFilter`
 */
export function parseSearchFilter(given: unknown): Condition[] {
  if (given === undefined || given === null || given === '') return []
  if (typeof given !== 'string') throw invalidFilter('it must be a text')
  return parseFilter(given)
}

function parseLiteral(literal: string): Condition['value'] {
  if (literal.startsWith('"')) {
    try {
      return JSON.parse(literal) as string
    } catch {
      throw invalidFilter('a text has an invalid escape')
    }
  }
  const word = literal.toLowerCase()
  if (word === 'null') return null
  return word === 'true' || word === 'false' ? word === 'true' : literal
}

/**
 * Returns the text of a condition in the form in which names and ids are stored: trimmed, in NFC. Returns undefined if no
 * stored value can be equal.
 */
export function comparedText({ value }: Condition): string | undefined {
  if (value === null) return undefined
  const text = String(value)
  // A longer text would take long to normalise, and no stored value is as long.
  if (!isStorable(text) || text.length > 2 * MAX_NAME_LENGTH) return undefined
  return toNfc(text).trim()
}

export interface Path {
  /** Name in lower case, with a dot before a sub-attribute; see `attributeName` */
  attribute: string
  /** Selects values of an attribute with several values; undefined without brackets */
  filter: Condition[] | undefined
  /** Sub-attribute of the selected values, in lower case */
  sub: string | undefined
}

/** Matches a trimmed path. Only one run of blanks is optional, so that blanks take linear time. */
const PATH = /^((?:urn:[\w.:-]+|[a-z$][\w$-]*)(?:\.[a-z$][\w$-]*)?)\s*(?:\[([^\]]*)\](?:\.([a-z$][\w$-]*))?)?$/i

/**
 * Parses the path of a PATCH operation.
 * @throws ScimRefusal `invalidPath` if the path has another form, `invalidFilter` if its filter has
 * @example parsePath('emails[type eq "work"].value')
 * // { attribute: 'emails', filter: [{ attribute: 'type', value: 'work' }], sub: 'value' }
 */
export function parsePath(text: string): Path {
  const found = text.length > MAX_LENGTH ? null : PATH.exec(text.trim())
  if (found === null) throw invalidPath(text)
  const [, attribute = '', filter, sub] = found
  return {
    attribute: attributeName(attribute),
    filter: filter === undefined ? undefined : parseFilter(filter),
    sub: sub?.toLowerCase(),
  }
}
