import { LOCALE } from './locale.js'

const NUMBER = new Intl.NumberFormat(LOCALE)
const PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 })

/** The forms of a noun: singular and plural in German, those of `FORMS` in other languages */
export type Forms = [one: string, other: string]
const PLURALS = new Intl.PluralRules(LOCALE)
const FORMS = ['zero', 'one', 'two', 'few', 'many', 'other'].filter((form) =>
  PLURALS.resolvedOptions().pluralCategories.includes(form as Intl.LDMLPluralRule),
)

/**
 * Formats a number.
 * @example count(1234) // '1.234'
 */
export function count(value: number): string {
  return NUMBER.format(value)
}

/**
 * Formats a number with its noun.
 * @example countOf(1, 'Karte', 'Karten') // '1 Karte'
 */
export function countOf(value: number, ...forms: Forms): string {
  return `${count(value)} ${forms[FORMS.indexOf(PLURALS.select(value))]}`
}

/**
 * Formats a share from 0 to 1.
 * @example percent(0.87) // '87 %'
 */
export function percent(share: number): string {
  return PERCENT.format(share)
}

/**
 * Formats remaining seconds: `0:42`, `1:00:00`.
 * @example countdown(299) // '4:59'
 */
export function countdown(seconds: number): string {
  const pad = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const rest = Math.floor(seconds / 60) % 60
  return `${hours > 0 ? `${hours}:${pad(rest)}` : rest}:${pad(seconds % 60)}`
}

const KILO = 1_000
const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/**
 * Formats a size in bytes.
 * @example bytes(48_000_000) // '48 MB'
 */
export function bytes(value: number): string {
  let size = 0
  let rest = value
  // Values that would be rounded to 1000 use the next unit.
  while (rest >= KILO - 0.5 && size < SIZES.length - 1) {
    rest /= KILO
    size += 1
  }
  const maximumFractionDigits = rest < 10 && size > 0 ? 1 : 0
  return new Intl.NumberFormat(LOCALE, { style: 'unit', unit: SIZES[size], maximumFractionDigits }).format(rest)
}

/**
 * Formats a duration, rounded to minutes: `unter einer Minute`, `12 Minuten`.
 * @example minutes(80 * 60_000) // '1 Stunde 20 Minuten'
 */
export function minutes(milliseconds: number): string {
  const total = Math.round(milliseconds / 60_000)
  if (total < 1) return 'unter einer Minute'
  if (total < 60) return countOf(total, 'Minute', 'Minuten')
  const rest = total % 60
  const hours = countOf(Math.floor(total / 60), 'Stunde', 'Stunden')
  return rest === 0 ? hours : `${hours} ${countOf(rest, 'Minute', 'Minuten')}`
}

/**
 * Formats an estimated duration.
 * @example aboutMinutes(12 * 60_000) // 'etwa 12 Minuten'
 */
export function aboutMinutes(milliseconds: number): string {
  const words = minutes(milliseconds)
  return Math.round(milliseconds / 60_000) < 1 ? words : `etwa ${words}`
}
