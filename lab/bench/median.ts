/** Returns the median: of an even count the upper of the two middle values; NaN for an empty list. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN
}
