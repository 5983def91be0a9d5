import { format, isDateFormat, isTextFormat, isValidFormat, tokenize } from 'numfmt'
import type { StylesPart } from './parts.js'

const GENERAL = 'General'

/** Predefined format codes by id (ECMA-376, 18.8.30), as Excel shows them in Germany */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '#,##0 "€"',
  6: '#,##0 "€"',
  7: '#,##0.00 "€"',
  8: '#,##0.00 "€"',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'dd.mm.yyyy',
  15: 'dd. mmm yy',
  16: 'dd. mmm',
  17: 'mmm yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'hh:mm',
  21: 'hh:mm:ss',
  22: 'dd.mm.yyyy hh:mm',
  37: '#,##0',
  38: '#,##0',
  39: '#,##0.00',
  40: '#,##0.00',
  41: '#,##0',
  42: '#,##0 "€"',
  43: '#,##0.00',
  44: '#,##0.00 "€"',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
}
/** Prefixes of codes for the date or time format of the operating system */
const OF_THE_SYSTEM: readonly [prefix: string, code: string][] = [
  ['[$-F800]', 'dddd, d. mmmm yyyy'],
  ['[$-x-sysdate]', 'dddd, d. mmmm yyyy'],
  ['[$-F400]', 'hh:mm:ss'],
  ['[$-x-systime]', 'hh:mm:ss'],
]
/** German locale of a code, by its id in hexadecimal digits or by its name, such as `-407` or `-de-DE` */
const GERMAN = /-(?:[0-9a-f]*407|de)\b/i
/** Maximum length of a format code in Excel, in characters */
const MAX_CODE = 255
/** Days between the epochs of the 1900 and the 1904 calendar */
const DAYS_TO_1904 = 1_462
const OPTIONS = { locale: 'de', throws: false } as const

/** Formats numbers with the styles of a workbook, as Excel shows them in Germany. */
export class NumberFormats {
  readonly #codes: readonly string[]
  readonly #is1904: boolean

  constructor({ codes, styles }: StylesPart, is1904: boolean) {
    const checked = new Map<number, string>()
    this.#is1904 = is1904
    this.#codes = styles.map((id) => {
      const known = checked.get(id) ?? usableCode(codes.get(id) ?? BUILT_IN[id] ?? GENERAL)
      checked.set(id, known)
      return known
    })
  }

  /**
   * Formats the value of a cell.
   * @param style index of the cell's style
   * @param isIso whether the value is a date from `serialOf`, which counts from 1900 in every workbook
   * @example new NumberFormats({ codes: new Map(), styles: [14] }, false).show(45_000, 0) // '15.03.2023'
   */
  show(value: number, style: number, isIso = false): string {
    const code = this.#codes[style] ?? GENERAL
    // Integers keep all digits: Excel would show a long number as 1,2E+12, which is useless as an id.
    if (code === GENERAL) return Number.isSafeInteger(value) ? String(value) : format(GENERAL, value, OPTIONS)
    const days = this.#is1904 && !isIso && isPointInTime(code) ? DAYS_TO_1904 : 0
    return format(code, value + days, OPTIONS)
  }
}

function usableCode(written: string): string {
  const code = OF_THE_SYSTEM.find(([prefix]) => written.startsWith(prefix))?.[1] ?? written
  const isUsable = code.length <= MAX_CODE && !isTextFormat(code) && isValidFormat(code)
  return isUsable && code.toLowerCase() !== GENERAL.toLowerCase() ? withGermanDates(code) : GENERAL
}

/** Replaces `/` in a date code by a point: Excel shows the separator of the code's locale, or else of the system's. */
function withGermanDates(code: string): string {
  if (!isDateFormat(code)) return code
  const tokens = tokenize(code)
  const locale = tokens.find(({ type }) => type === 'locale')?.value
  if (locale !== undefined && !GERMAN.test(String(locale))) return code
  return tokens.map(({ type, raw }) => (type === 'slash' ? '\\.' : raw)).join('')
}

/** Returns whether the code formats a date or time of day, not a duration such as `[h]:mm`. */
function isPointInTime(code: string): boolean {
  return isDateFormat(code) && !/\[[hms]+\]/i.test(code)
}

/**
 * Returns the serial number of an ISO date (cells of type `d`) in the 1900 calendar; undefined if it is invalid.
 * @example serialOf('2023-03-15') // 45000
 */
export function serialOf(iso: string): number | undefined {
  const time = Date.parse(/T/.test(iso) ? (/Z$/.test(iso) ? iso : `${iso}Z`) : iso)
  return Number.isNaN(time) ? undefined : time / 86_400_000 + 25_569
}
