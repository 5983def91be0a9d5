/** A number of persons, and how many of them are in each of several cells. Each person is in at most one cell. */
export interface CellCounts {
  persons: number
  cells: Readonly<Record<string, number>>
}

/** The counts from which a report may publish some. */
export interface CountTable extends CellCounts {
  /** Whether each person is in exactly one cell. Otherwise the other persons form a cell that is never published. */
  isWhole: boolean
}

/**
 * Returns the names of the cells whose counts a new report may publish. Omits cells until all sizes that follow from
 * the reports are large enough: first cells that no report has published, then the smaller ones.
 * @param published all earlier reports, oldest first, with the cells that each of them published
 */
export function publishableCells(table: CountTable, published: readonly CellCounts[], minPersons: number): string[] {
  const { cells } = table
  const reports = [emptyReport(table), ...published]
  const known = new Set(published.flatMap((report) => Object.keys(report.cells)))
  let names = Object.keys(cells)
    .filter((name) => hasGrown(table, name, reports, minPersons))
    .sort((a, b) => Number(known.has(a)) - Number(known.has(b)) || (cells[a] ?? 0) - (cells[b] ?? 0))
  while (names.length > 0 && !isSafe(table, names, reports, minPersons)) names = names.slice(1)
  return names
}

/** Returns whether a new report may publish the counts of all these cells. */
export function mayPublish(
  table: CountTable,
  names: readonly string[],
  published: readonly CellCounts[],
  minPersons: number,
): boolean {
  const reports = [emptyReport(table), ...published]
  return names.every((name) => hasGrown(table, name, reports, minPersons)) && isSafe(table, names, reports, minPersons)
}

/** Returns the report that everyone knows: without persons, all counts are zero. */
function emptyReport({ cells }: CountTable): CellCounts {
  return { persons: 0, cells: Object.fromEntries(Object.keys(cells).map((name) => [name, 0])) }
}

/**
 * Returns whether at least `minPersons` persons in the cell, and as many outside of it, have been added since each
 * report that published the cell. With fewer outside, nearly all new persons would have given the same answer.
 */
function hasGrown(
  { persons, cells }: CountTable,
  name: string,
  reports: readonly CellCounts[],
  minPersons: number,
): boolean {
  const count = cells[name] ?? 0
  return reports.every((report) => {
    const earlier = report.cells[name]
    if (earlier === undefined) return true
    return count - earlier >= minPersons && persons - count - (report.persons - earlier) >= minPersons
  })
}

function isSafe(
  table: CountTable,
  names: readonly string[],
  reports: readonly CellCounts[],
  minPersons: number,
): boolean {
  const cells = Object.fromEntries(names.map((name) => [name, table.cells[name] ?? 0]))
  const sizes = remainders(table, reports, { persons: table.persons, cells })
  return sizes.every((size) => size >= minPersons || (table.isWhole && size === 0))
}

/**
 * Returns the sizes of the groups of persons that a new report reveals to a reader who has kept all reports and knows
 * the number of persons at each of them. Reports renew different cells, so that counts of different reports can be
 * combined. For each earlier report, two groups follow:
 * - the persons added since then, without those that the difference of two counts of the same cell contains;
 * - once each cell has been published since then: the persons by which the earliest of these counts together exceed the
 *   persons of the report.
 * All groups whose sizes follow from the reports are composed of these and of differences of two counts of a cell:
 * test/domain/questions/publication.test.ts compares them with a search of all groups.
 */
function remainders({ cells, isWhole }: CountTable, reports: readonly CellCounts[], newest: CellCounts): number[] {
  const names = Object.keys(cells)
  const first = new Map<string, number>()
  const last = new Map<string, number>()
  return [...reports].reverse().flatMap((report) => {
    for (const [name, count] of Object.entries(report.cells)) {
      first.set(name, count)
      if (!last.has(name)) last.set(name, count)
    }
    const firsts = names.map((name) => first.get(name) ?? newest.cells[name])
    const lasts = names.map((name) => newest.cells[name] ?? last.get(name))
    const rest = newest.persons - report.persons - (sum(lasts) - sum(firsts))
    const isComplete = isWhole && !firsts.includes(undefined) && names.some((name) => !first.has(name))
    return isComplete ? [rest, sum(firsts) - report.persons] : [rest]
  })
}

function sum(counts: readonly (number | undefined)[]): number {
  return counts.reduce<number>((total, count) => total + (count ?? 0), 0)
}
