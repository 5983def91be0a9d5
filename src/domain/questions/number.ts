export type ReadNumber = number | 'ambiguous' | 'none'

const NUMBER = /^([+-]?)(\d[\d.,]*|[.,]\d+)(e[+-]?\d{1,3})?$/i
/** Start of a number whose thousands are separated by spaces or apostrophes */
const GROUPED = /^[+-]?\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?![\d])/

/**
 * Parses a number with decimal comma or point. A number such as 1.000 or 12,345 is ambiguous, because its only
 * separator may separate thousands: it follows one to three digits without a leading 0 and precedes exactly three
 * digits. Returns `none` for text that is not a number.
 * @example readNumber('1,5') // 1.5
 * @example readNumber('1.000') // 'ambiguous'
 * @example readNumber('1.000,5') // 1000.5
 */
export function readNumber(text: string): ReadNumber {
  const given = text.trim().replace(/^[−–]/, '-')
  const grouped = GROUPED.exec(given)?.[0]
  const plain = grouped === undefined ? given : grouped.replaceAll(/[^\d+-]/g, '') + given.slice(grouped.length)
  const match = NUMBER.exec(plain)
  if (match === null) return 'none'
  const [, sign = '', digits = '', exponent = ''] = match
  const decimal = toDecimal(digits, grouped !== undefined)
  if (decimal === 'ambiguous' || decimal === 'none') return decimal
  const value = Number(`${sign}${decimal}${exponent}`)
  return Number.isFinite(value) ? value : 'none'
}

/**
 * Returns the digits with a decimal point, or `ambiguous` or `none`.
 * @param isGrouped whether spaces or apostrophes separate the thousands; a comma or point is then decimal
 */
function toDecimal(digits: string, isGrouped: boolean): string {
  const separators: string[] = digits.match(/[.,]/g) ?? []
  const last = separators.at(-1)
  if (last === undefined) return digits
  const parts = digits.split(/[.,]/)
  if (separators.length === 1) {
    const [whole = '', rest = ''] = parts
    const isThousands = rest.length === 3 && /^[1-9]\d{0,2}$/.test(whole)
    return isThousands && !isGrouped ? 'ambiguous' : `${whole || '0'}.${rest}`
  }
  if (isGrouped) return 'none'
  // The separators separate thousands, except the last separator if it differs from the others.
  const isDecimal = separators.indexOf(last) === separators.length - 1
  const groups = isDecimal ? parts.slice(0, -1) : parts
  const isRegular =
    new Set(separators.slice(0, groups.length - 1)).size === 1 &&
    groups.every((group, index) => (index === 0 ? /^[1-9]\d{0,2}$/ : /^\d{3}$/).test(group))
  if (!isRegular) return 'none'
  return isDecimal ? `${groups.join('')}.${parts.at(-1)}` : groups.join('')
}

/** Returns the text without Markdown emphasis and without the unit at its end. */
export function withoutUnit(text: string, unit: string | null): string {
  const plain = text.replaceAll(/[*_`]/g, '').trim()
  if (unit === null || !plain.toLowerCase().endsWith(unit.toLowerCase())) return plain
  return plain.slice(0, plain.length - unit.length).trim()
}
