/** A report as a reader keeps it */
export interface KeptReport {
  /** Number of persons when the counts were published; the reader knows it */
  persons: number
  /** The counts that this report published, by cell */
  counts: Readonly<Record<string, number>>
}

/**
 * Returns the smallest number of persons from 1 to `minPersons` - 1 that a reader of all reports can compute, for any
 * set of persons and answers; undefined if there is none. Compares all sets, independently of the rule under test.
 *
 * A set contains some cells of each group, where a group consists of the persons between two reports. The reader knows,
 * at each report, the published counts and the number of persons. The size of a set is therefore computable if at each
 * report the cells that were not published all enter the set, all leave it, or stay as they are.
 * @param persons the cell of each person, in the order of joining; each person is in exactly one cell
 * @param reports oldest first
 */
export function findSmallGroup(
  persons: readonly string[],
  cells: readonly string[],
  reports: readonly KeptReport[],
  minPersons: number,
): number | undefined {
  const sets = Array.from({ length: 2 ** cells.length }, (_, bits) => bits)
  const has = (bits: number, cell: string) => (bits & (1 << cells.indexOf(cell))) !== 0
  // For each set of cells, the sizes that sets of the groups so far can have; `minPersons` means this size or more.
  let sizes = new Map(sets.map((bits) => [bits, new Set([0])]))
  let from = 0
  for (const report of reports) {
    const group = persons.slice(from, report.persons)
    from = report.persons
    const unpublished = sets.length - 1 - bitsOf(Object.keys(report.counts), cells)
    const next = new Map<number, Set<number>>(sets.map((bits) => [bits, new Set()]))
    for (const [bits, found] of sizes) {
      const added = group.filter((cell) => has(bits, cell)).length
      for (const following of sets) {
        if (!isComputable(bits & unpublished, following & unpublished, unpublished)) continue
        for (const size of found) next.get(following)?.add(Math.min(size + added, minPersons))
      }
    }
    sizes = next
  }
  // Nothing is known about persons after the last report.
  return [...(sizes.get(0) ?? [])].filter((size) => size > 0 && size < minPersons).sort((a, b) => a - b)[0]
}

function bitsOf(names: readonly string[], cells: readonly string[]): number {
  return names.reduce((bits, name) => bits | (1 << cells.indexOf(name)), 0)
}

function isComputable(before: number, after: number, unpublished: number): boolean {
  return before === after || (before === unpublished && after === 0) || (before === 0 && after === unpublished)
}

/**
 * Returns the pairs of reports whose difference of a count, or of all other persons, is about 1 to `minPersons` - 1
 * persons, or shows that all new persons gave the same answer.
 */
export function subtractPairs(reports: readonly KeptReport[], minPersons: number): string[] {
  const start = { persons: 0, counts: {} as Readonly<Record<string, number>> }
  return reports.flatMap((later, index) =>
    [start, ...reports.slice(0, index)].flatMap((earlier) =>
      Object.entries(later.counts).flatMap(([cell, count]) => {
        const known = earlier === start ? 0 : earlier.counts[cell]
        if (known === undefined) return []
        const [inside, all] = [count - known, later.persons - earlier.persons]
        const isFine = (inside === 0 && all === 0) || (inside >= minPersons && all - inside >= minPersons)
        return isFine ? [] : [`${earlier.persons} to ${later.persons} persons: ${inside} of ${all} ${cell}`]
      }),
    ),
  )
}
