/** Returns the median. For an even count, this is the upper of the two middle values; for an empty list, NaN. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN
}
