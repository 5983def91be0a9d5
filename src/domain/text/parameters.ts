import { InvalidField, InvalidInput, InvalidParameter } from '../refusal.js'
import { isDay, parseInstant } from '../time/calendar.js'
import { countCharacters, hasControls, isStorable } from './text.js'

const HIGHEST_INTEGER = 2 ** 31 - 1

/**
 * Parses a number of the query string, truncates it to an integer and clamps it. Returns `fallback` if absent or empty.
 * @throws InvalidInput naming the parameter if it is not a number
 * @example parseNumber('7.9', 'limit', { minimum: 1, maximum: 300, fallback: 20 }) // 7
 */
export function parseNumber(
  text: string | undefined,
  name: string,
  range: { minimum: number; maximum: number; fallback: number },
): number {
  if (text === undefined || text === '') return range.fallback
  const number = Math.trunc(Number(text))
  if (!Number.isFinite(number)) throw new InvalidParameter(name, 'muss eine Zahl sein')
  return Math.min(Math.max(number, range.minimum), range.maximum)
}

/**
 * Parses the cursor of a page; returns undefined if absent or empty.
 * @throws InvalidInput if it is not an id
 * @example parseCursor('17', 'after') // 17
 */
export function parseCursor(text: string | undefined, name: string): number | undefined {
  if (text === undefined || text === '') return undefined
  const id = parseId(text)
  if (id === undefined) throw invalidCursor(name)
  return id
}

/**
 * Parses the cursor of a page that is ordered by an integer column; returns undefined if absent or empty.
 * @throws InvalidInput if it is not an integer of 32 bits
 * @example parseIntegerCursor('17', 'after') // 17
 */
export function parseIntegerCursor(text: string | undefined, name: string): number | undefined {
  const cursor = parseCursor(text, name)
  checkIntegerCursor(name, cursor)
  return cursor
}

/** @throws InvalidInput if the cursor is not an integer of 32 bits */
export function checkIntegerCursor(name: string, cursor: number | undefined): void {
  if (cursor !== undefined && !isInteger(cursor)) throw invalidCursor(name)
}

/**
 * Parses an instant in a field of a request body.
 * @throws InvalidInput naming the field if `parseInstant` cannot parse it
 * @example parseInstantField('2026-11-21T08:00Z', 'at') // 2026-11-21T08:00:00.000Z
 */
export function parseInstantField(text: string, name: string): Date {
  const instant = parseInstant(text)
  if (instant === undefined) throw new InvalidField(name, 'muss ein Zeitpunkt sein')
  return instant
}

/** Date, time and offset. Without leap seconds, which the database does not have */
const RFC_3339 = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/**
 * Parses an instant in the query string; returns undefined if absent or empty.
 * @throws InvalidInput naming the parameter if it is not a day of the years 1000 to 2999 with time and offset,
 * as RFC 3339 defines them, or if it is a leap second
 * @example parseInstantParameter('2026-11-21T08:00:00Z', 'changed_since') // 2026-11-21T08:00:00.000Z
 */
export function parseInstantParameter(text: string | undefined, name: string): Date | undefined {
  if (text === undefined || text === '') return undefined
  const [, day = ''] = RFC_3339.exec(text) ?? []
  const instant = isDay(day) ? parseInstant(text) : undefined
  if (instant === undefined) {
    throw new InvalidParameter(name, 'muss ein Zeitpunkt mit Zeitzone sein, wie 2026-11-21T08:00:00Z')
  }
  return instant
}

export function invalidCursor(name: string): InvalidInput {
  return new InvalidParameter(name, 'ist ungültig')
}

/**
 * Parses an id of decimal digits with an optional sign; returns undefined for any other text. An id beyond the safe
 * range of integers becomes `Number.MAX_SAFE_INTEGER`.
 * @example parseId('-3') // -3
 */
export function parseId(text: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined
  const id = Number(text)
  // No row has an id beyond the safe range, and rounding must not turn it into an existing id.
  return Number.isSafeInteger(id) ? id : Number.MAX_SAFE_INTEGER
}

/** Returns whether the id fits into an integer column. */
export function isInteger(id: number): boolean {
  return Math.abs(id) <= HIGHEST_INTEGER
}

/**
 * Parses an id in a URL path; returns undefined if its absolute value exceeds `highest`.
 * @param highest largest value of the id column
 * @throws InvalidInput with the message if `parseId` cannot parse the text
 * @example parseRowId('17', 'Ungültige Karten-ID') // 17
 */
export function parseRowId(text: string, message: string, highest = HIGHEST_INTEGER): number | undefined {
  const id = parseId(text)
  if (id === undefined) throw new InvalidInput(message)
  return Math.abs(id) <= highest ? id : undefined
}

/**
 * Parses one of the given words; returns undefined if absent or empty.
 * @throws InvalidInput naming the parameter if it is another word
 * @example parseChoice('due', 'state', ['new', 'due']) // 'due'
 */
export function parseChoice<T extends string>(
  text: string | undefined,
  name: string,
  choices: readonly T[],
): T | undefined {
  if (text === undefined || text === '') return undefined
  const choice = choices.find((one) => one === text)
  if (choice === undefined) throw new InvalidParameter(name, `muss eines von ${choices.join(', ')} sein`)
  return choice
}

/**
 * Splits a list that is separated by commas; an empty text is an empty list.
 * @example splitList('3,17') // ['3', '17']
 */
export function splitList(text: string): string[] {
  return text === '' ? [] : text.split(',')
}

/**
 * Parses `true` or `false`; returns false if absent or empty.
 * @throws InvalidInput naming the parameter if it is another word
 * @example parseFlag('true', 'check') // true
 */
export function parseFlag(text: string | undefined, name: string): boolean {
  if (text === 'true') return true
  if (text === undefined || text === '' || text === 'false') return false
  throw new InvalidParameter(name, 'muss true oder false sein')
}

/**
 * Checks the text of a field of one line, such as a name or title.
 * @throws InvalidInput naming the field if the text is not storable or contains control characters
 */
export function checkLine(field: string, text: string): void {
  checkStorable(field, text)
  if (hasControls(text)) {
    throw new InvalidField(field, 'darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten')
  }
}

const MAX_SEARCH_LENGTH = 200

/** @throws InvalidInput naming the parameter if the text of a search has more than 200 code points */
export function checkSearchLength(name: string, text: string): void {
  if (countCharacters(text) <= MAX_SEARCH_LENGTH) return
  const concern = { field: name, details: { maximum: MAX_SEARCH_LENGTH } }
  throw new InvalidInput(`Höchstens ${MAX_SEARCH_LENGTH} Zeichen`, 'invalid_input', concern)
}

/** @throws InvalidInput with the message, naming the first empty field */
export function requireFields(fields: Readonly<Record<string, string>>, message: string): void {
  const empty = Object.keys(fields).find((field) => fields[field] === '')
  if (empty !== undefined) throw new InvalidInput(message, 'invalid_input', { field: empty })
}

/** @throws InvalidInput naming the field if the database cannot store the text */
export function checkStorable(field: string, text: string): void {
  if (!isStorable(text)) throw new InvalidField(field, 'enthält unzulässige Zeichen')
}
