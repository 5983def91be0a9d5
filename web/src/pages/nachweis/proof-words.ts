import type { Answer } from '../../api/client.js'
import { absoluteDay } from '../../words/dates.js'

type Part = Answer<'/api/proofs/verify/{code}'>['proof']['parts'][number]

const DEEDS: Record<Part['kind'], string> = {
  sheet: 'gelesen und bestätigt',
  test: 'Test bestanden',
  deck: 'Deck gelernt',
  personal: 'persönliche Unterweisung',
}

/** Returns what was done when, for example „Test bestanden am 5. Dezember 2026, Fassung 2“. */
export function describePart({ kind, done_on, version, confirmed_by }: Part): string {
  const ending = [version === null ? '' : `, Fassung ${version}`, confirmed_by ? `, bestätigt von ${confirmed_by}` : '']
  return `${DEEDS[kind]} am ${absoluteDay(done_on)}${ending.join('')}`
}

/** Returns a code as it stands on the paper, in groups of four. */
export function groupCode(code: string): string {
  return code.match(/.{1,4}/g)?.join('-') ?? ''
}
