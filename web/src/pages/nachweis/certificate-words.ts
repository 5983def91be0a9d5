import type { ResponseBody } from '../../api/types.js'

type Part = ResponseBody<'/api/proofs/verify/{code}'>['proof']['parts'][number]

const DONE_TEXTS: Record<Part['kind'], string> = {
  sheet: 'gelesen und bestätigt',
  test: 'Test bestanden',
  deck: 'Deck gelernt',
  personal: 'persönliche Unterweisung',
}

/**
 * Describes a completed part.
 * @example describePart(part) // 'Test bestanden am 05.12.2026, Fassung 2'
 */
export function describePart({ kind, done_on, version, confirmed_by }: Part): string {
  const ending = [version === null ? '' : `, Fassung ${version}`, confirmed_by ? `, bestätigt von ${confirmed_by}` : '']
  return `${DONE_TEXTS[kind]} am ${printedDay(done_on)}${ending.join('')}`
}

/**
 * Formats a code as it is printed on the certificate, in groups of four.
 * @example groupCode('7KMF3XQV') // '7KMF-3XQV'
 */
export function groupCode(code: string): string {
  return code.match(/.{1,4}/g)?.join('-') ?? ''
}

/**
 * Formats a day as it is printed on the certificate.
 * @example printedDay('2026-12-05') // '05.12.2026'
 */
export function printedDay(day: string): string {
  return day.slice(0, 10).split('-').reverse().join('.')
}
