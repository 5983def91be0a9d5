/** `digits` times ten to the power of `-scale` */
interface Decimal {
  digits: bigint
  scale: number
}

/**
 * Returns whether two numbers differ by at most the tolerance. Calculates in decimal, because in binary floating point
 * 0.8 − 0.7 is more than 0.1.
 * @example isWithin(0.8, 0.7, 0.1) // true
 */
export function isWithin(value: number, expected: number, tolerance: number): boolean {
  const decimals = [value, expected, tolerance].map(decimalOf)
  const scale = Math.max(...decimals.map(({ scale }) => scale))
  const [one = 0n, other = 0n, limit = 0n] = decimals.map((decimal) => {
    return decimal.digits * 10n ** BigInt(scale - decimal.scale)
  })
  const difference = one - other
  return (difference < 0n ? -difference : difference) <= limit
}

/** Converts a finite number to a decimal, using the shortest string that JavaScript writes for the number. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const [whole = '', rest = ''] = mantissa.split('.')
  const scale = rest.length - Number(exponent)
  const digits = BigInt(whole + rest)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}
