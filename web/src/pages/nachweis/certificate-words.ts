import type { ResponseBody } from '../../api/types.js'
import { isolate } from '../../words/isolate.js'
import { LOCALE } from '../../words/locale.js'

type Part = ResponseBody<'/api/proofs/verify/{code}'>['proof']['parts'][number]

const DONE_TEXTS: Record<Part['kind'], string> = {
  sheet: 'gelesen und bestätigt',
  test: 'Test bestanden',
  deck: 'Deck gelernt',
  personal: 'persönliche Unterweisung',
}

const DAYS = new Intl.DateTimeFormat(LOCALE, {
  dateStyle: LOCALE.startsWith('de') ? 'medium' : 'long',
  timeZone: 'UTC',
})
const NAMES = new Intl.DisplayNames(LOCALE, { type: 'language' })

/**
 * Describes a completed part.
 * @example describePart(part) // 'Test bestanden am 05.12.2026, Fassung 2'
 */
export function describePart({ kind, done_on, version, confirmed_by, lang, variant_title }: Part): string {
  const ending = [
    languageOf({ lang, variant_title }),
    version === null ? '' : /* text */ `, Fassung ${version}`,
    confirmed_by ? `, bestätigt von ${confirmed_by}` : '',
  ]
  return `${DONE_TEXTS[kind]} am ${printedDay(done_on)}${ending.join('')}`
}

/** Returns the language in which a part was done, unless it is the original in the language of the page. */
function languageOf({ lang, variant_title }: Pick<Part, 'lang' | 'variant_title'>): string {
  if (lang === null || (variant_title === null && LOCALE.startsWith(lang))) return ''
  const name = NAMES.of(lang)
  return variant_title === null ? /* text */ `, auf ${name}` : `, auf ${name} („${isolate(variant_title)}“)`
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
 * @example printedDay('2026-12-05') // '05.12.2026', in English '5 December 2026'
 */
export function printedDay(day: string): string {
  return DAYS.format(new Date(day.slice(0, 10)))
}
