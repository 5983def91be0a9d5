import { BadRequest } from '../refusals.js'
import { isStorable } from './text.js'

const HIGHEST_INTEGER = 2 ** 31 - 1

/**
 * A number of the query string, cut into its range; `fallback` when it is absent or empty.
 * @throws BadRequest naming the parameter when it is no number
 */
export function parseNumber(
  text: string | undefined,
  name: string,
  range: { minimum: number; maximum: number; fallback: number },
): number {
  if (text === undefined || text === '') return range.fallback
  const number = Math.trunc(Number(text))
  if (!Number.isFinite(number)) throw new BadRequest(`Der Parameter "${name}" muss eine Zahl sein`)
  return Math.min(Math.max(number, range.minimum), range.maximum)
}

/**
 * Where the page before ended; undefined when the parameter is absent or empty.
 * @throws BadRequest when it is no id
 */
export function parseCursor(text: string | undefined, name: string): number | undefined {
  if (text === undefined || text === '') return undefined
  const id = parseId(text)
  if (id === undefined) throw invalidCursor(name)
  return id
}

export function invalidCursor(name: string): BadRequest {
  return new BadRequest(`Der Parameter "${name}" ist ungültig`)
}

/** An id in decimal digits, optionally signed; undefined for anything else. */
export function parseId(text: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined
  const id = Number(text)
  // An id beyond the safe range is nobody's id, and rounding must not make it somebody's.
  return Number.isSafeInteger(id) ? id : Number.MAX_SAFE_INTEGER
}

/** Whether the id fits into a column of type integer; what does not fit exists nowhere. */
export function isInteger(id: number): boolean {
  return Math.abs(id) <= HIGHEST_INTEGER
}

/**
 * An id of a path; undefined when no row of the table, whose ids end at `highest`, can have it.
 * @throws BadRequest with the message when the text is no number
 */
export function parseRowId(text: string, message: string, highest = HIGHEST_INTEGER): number | undefined {
  const id = parseId(text)
  if (id === undefined) throw new BadRequest(message)
  return Math.abs(id) <= highest ? id : undefined
}

/** One of these words; undefined when the parameter is absent or empty. @throws BadRequest naming the parameter */
export function parseChoice<T extends string>(
  text: string | undefined,
  name: string,
  choices: readonly T[],
): T | undefined {
  if (text === undefined || text === '') return undefined
  const choice = choices.find((one) => one === text)
  if (choice === undefined) throw new BadRequest(`Der Parameter "${name}" muss eines von ${choices.join(', ')} sein`)
  return choice
}

/** `true`, or `false` when it is absent, empty or says so. @throws BadRequest naming the parameter otherwise */
export function parseFlag(text: string | undefined, name: string): boolean {
  if (text === 'true') return true
  if (text === undefined || text === '' || text === 'false') return false
  throw new BadRequest(`Der Parameter "${name}" muss true oder false sein`)
}

/** @throws BadRequest when the database cannot hold the text of that field */
export function checkStorable(field: string, text: string): void {
  if (!isStorable(text)) throw new BadRequest(`Das Feld "${field}" enthält unzulässige Zeichen`)
}
