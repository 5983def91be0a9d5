const NUMBER = new Intl.NumberFormat('de')
const PERCENT = new Intl.NumberFormat('de', { style: 'percent', maximumFractionDigits: 0 })

/** `1.234` */
export function count(value: number): string {
  return NUMBER.format(value)
}

/** `1 Karte`, `12 Karten` */
export function countOf(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** Of a share between 0 and 1: `87 %` */
export function percent(share: number): string {
  return PERCENT.format(share)
}

const KILO = 1_000
const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** `48 MB`, `1,2 GB` */
export function bytes(value: number): string {
  let size = 0
  let rest = value
  // What would be rounded to a thousand is one of the next size.
  while (rest >= KILO - 0.5 && size < SIZES.length - 1) {
    rest /= KILO
    size += 1
  }
  const maximumFractionDigits = rest < 10 && size > 0 ? 1 : 0
  return new Intl.NumberFormat('de', { style: 'unit', unit: SIZES[size], maximumFractionDigits }).format(rest)
}

/** A length of time in words: `unter einer Minute`, `1 Minute`, `12 Minuten`, `1 Stunde 20 Minuten`. */
export function minutes(milliseconds: number): string {
  const total = Math.round(milliseconds / 60_000)
  if (total < 1) return 'unter einer Minute'
  if (total < 60) return countOf(total, 'Minute', 'Minuten')
  const rest = total % 60
  const hours = countOf(Math.floor(total / 60), 'Stunde', 'Stunden')
  return rest === 0 ? hours : `${hours} ${countOf(rest, 'Minute', 'Minuten')}`
}

/** The same of a length that is only estimated: `unter einer Minute`, `etwa 12 Minuten`. */
export function aboutMinutes(milliseconds: number): string {
  const words = minutes(milliseconds)
  return words.startsWith('unter') ? words : `etwa ${words}`
}
