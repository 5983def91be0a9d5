import type { Answer } from '../../api/client.js'

type Part = Answer<'/api/proofs/verify/{code}'>['proof']['parts'][number]

const DEEDS: Record<Part['kind'], string> = {
  sheet: 'gelesen und bestätigt',
  test: 'Test bestanden',
  deck: 'Deck gelernt',
  personal: 'persönliche Unterweisung',
}

/** Describes a completed part, for example „Test bestanden am 05.12.2026, Fassung 2“. */
export function describePart({ kind, done_on, version, confirmed_by }: Part): string {
  const ending = [version === null ? '' : `, Fassung ${version}`, confirmed_by ? `, bestätigt von ${confirmed_by}` : '']
  return `${DEEDS[kind]} am ${printedDay(done_on)}${ending.join('')}`
}

/** Formats a code as it is printed on the proof, in groups of four. */
export function groupCode(code: string): string {
  return code.match(/.{1,4}/g)?.join('-') ?? ''
}

/** Formats a day as it is printed on the proof, for example „05.12.2026“. */
export function printedDay(day: string): string {
  return day.slice(0, 10).split('-').reverse().join('.')
}
