import type { FrozenForm, FrozenOption, FrozenQuestion } from '../questions/frozen.js'
import type { Answer } from '../questions/judge.js'
import { type CellCounts, mayPublish, publishableCells } from '../questions/publication.js'
import {
  addPerson,
  distractorShares,
  type Flag,
  facility,
  flagsOf,
  type ItemSums,
  itemRestCorrelation,
  MIN_PERSONS_OF_CORRELATION,
  NO_SUMS,
} from '../questions/statistics.js'

/** Sums over the results of a question in the first attempt of each person; plain JSON. */
export interface QuestionSums {
  item: ItemSums
  /** Number of persons with all points */
  full: number
  /** Number of persons by id of the chosen option in the published question */
  chosen: Record<string, number>
  unanswered: number
  /** Number of persons by time in whole seconds */
  seconds: Record<string, number>
}

export const NO_QUESTION_SUMS: QuestionSums = { item: NO_SUMS, full: 0, chosen: {}, unanswered: 0, seconds: {} }

/** Maximum time in seconds. A longer time is reduced to this limit: it only shows that the page was left open. */
const MAX_SECONDS = 3_600

export interface PersonalResult {
  /** From 0 to 1 */
  points: number
  /** Points of the whole attempt */
  total: number
  /** Answer with the ids of the published question */
  answer: Answer | null
  spentMs: number
}

/** Returns whether an answer is empty, for example after a field was cleared. */
function isBlank(answer: Answer): boolean {
  if ('option_ids' in answer) return answer.option_ids.length === 0
  if ('text' in answer) return answer.text.trim() === ''
  if ('gaps' in answer) return Object.values(answer.gaps).every((text) => text.trim() === '')
  return false
}

export function addResult(sums: QuestionSums, { points, total, answer, spentMs }: PersonalResult): QuestionSums {
  const chosen = answer !== null && 'option_ids' in answer ? answer.option_ids : []
  const isEmpty = answer === null || isBlank(answer)
  const seconds = String(Math.min(MAX_SECONDS, Math.round(spentMs / 1_000)))
  return {
    item: addPerson(sums.item, points, total),
    full: sums.full + Number(points === 1),
    chosen: { ...sums.chosen, ...Object.fromEntries(chosen.map((id) => [id, (sums.chosen[id] ?? 0) + 1])) },
    unanswered: sums.unanswered + Number(isEmpty),
    seconds: isEmpty ? sums.seconds : { ...sums.seconds, [seconds]: (sums.seconds[seconds] ?? 0) + 1 },
  }
}

/**
 * Statistics of a question for editors; null if a value concerns too few persons or does not apply. Counts can be newer
 * than the other values. Times are ISO 8601, and null if they were not recorded. Plain JSON.
 */
export interface QuestionReport {
  persons: number
  /** Time of all values except counts */
  as_of: string | null
  /** Mean share of the points */
  facility: number | null
  options: ReportedOption[]
  unanswered: number | null
  unanswered_as_of: string | null
  correlation: number | null
  median_seconds: number | null
  flags: Flag[]
}

/** An option of a choice */
interface ReportedOption {
  id: string
  /** Number of persons who chose it */
  count: number | null
  as_of: string | null
  /** Share of a wrong option of a single choice among all wrong choices; null if `count` is newer than the totals */
  share: number | null
}

/** What editors have seen of a question so far */
export interface Shown {
  report: QuestionReport | null
  /** The counts that each report has published, oldest first */
  published: readonly CellCounts[]
}

/**
 * Counts are renewed without the others only if the persons have increased by this factor since the last report. Each
 * renewal of a single count postpones the next renewal of all, because all must grow again.
 */
const FACTOR_OF_SINGLE_COUNTS = 2

/**
 * Renews the report of a question. A count is renewed only if all reports together still reveal nothing about fewer than
 * `minPersons` persons; otherwise it keeps its value and its time. The other values are renewed only together with all
 * counts. The caller must check that the sums have at least `minPersons` persons.
 * @returns the report, and the counts that it publishes; null if it publishes none
 */
export function renewReport(
  question: FrozenQuestion,
  sums: QuestionSums,
  { report, published }: Shown,
  { minPersons, now }: { minPersons: number; now: Date },
): { report: QuestionReport; counts: CellCounts | null } {
  const { persons } = sums.item
  const { cells, isComplete } = cellsToPublish(question, sums, published, minPersons)
  const isEnough = isComplete || persons >= FACTOR_OF_SINGLE_COUNTS * (published.at(-1)?.persons ?? 0)
  if (report !== null && !isEnough) return { report, counts: null }
  const as_of = now.toISOString()
  const options = optionsOf(question).map(({ id }): ReportedOption => {
    if (optionCell(id) in cells) return { id, count: sums.chosen[id] ?? 0, as_of, share: null }
    return report?.options.find((option) => option.id === id) ?? { id, count: null, as_of: null, share: null }
  })
  const unanswered =
    UNANSWERED in cells
      ? { unanswered: sums.unanswered, unanswered_as_of: as_of }
      : { unanswered: report?.unanswered ?? null, unanswered_as_of: report?.unanswered_as_of ?? null }
  const told = { persons, cells }
  const counts = Object.keys(cells).length === 0 ? null : told
  if (report !== null && !isComplete) return { report: { ...report, options, ...unanswered }, counts }
  const shares = sharesOf(question, told)
  const withShares = options.map((option) => ({ ...option, share: shares.get(option.id) ?? null }))
  return {
    report: { ...totalsOf(question, sums, cells, minPersons), as_of, options: withShares, ...unanswered },
    counts,
  }
}

/** Cell of the persons with all points. Only the facility reveals its count; a single choice does not need it. */
const FULL = 'full'
const UNANSWERED = 'unanswered'
const optionCell = (id: string) => `option ${id}`

function optionsOf(question: FrozenForm): FrozenOption[] {
  return 'options' in question ? question.options : []
}

/**
 * Returns the cells that a report publishes, and whether it renews all counts that have ever been published. In a choice
 * with several right options, a cell contains the persons without all points who chose the option; those with all points
 * chose each right option too.
 */
function cellsToPublish(
  question: FrozenForm,
  sums: QuestionSums,
  published: readonly CellCounts[],
  minPersons: number,
): { cells: Record<string, number>; isComplete: boolean } {
  const { persons } = sums.item
  const { full, unanswered, chosen } = sums
  const isWhole = question.form === 'single'
  const byOption = optionsOf(question).map(
    ({ id, correct }) => [optionCell(id), (chosen[id] ?? 0) - (correct && !isWhole ? full : 0)] as const,
  )
  const shared = isWhole ? { ...Object.fromEntries(byOption), [UNANSWERED]: unanswered } : { full, unanswered }
  // A person can choose several options, so each option forms a table of its own with the shared cells.
  const separate = isWhole ? [] : byOption
  const common = publishableCells({ persons, cells: shared, isWhole }, published, minPersons)
  const others = separate.filter(([name, count]) => {
    const table = { persons, cells: { ...shared, [name]: count }, isWhole }
    return mayPublish(table, [...common, name], published, minPersons)
  })
  const found = { ...pick(shared, common), ...Object.fromEntries(others) }
  // The facility reveals `full`, and `full` is needed to show the count of a right option: these are published together.
  const tied = isWhole
    ? []
    : [FULL, ...optionsOf(question).flatMap(({ id, correct }) => (correct ? [optionCell(id)] : []))]
  const untied = pick(
    found,
    Object.keys(found).filter((name) => !tied.includes(name)),
  )
  const cells = FULL in found || isWhole ? found : untied
  const isComplete = published.every((report) => Object.keys(report.cells).every((name) => name in cells))
  return { cells: isComplete ? cells : untied, isComplete }
}

function pick(cells: Readonly<Record<string, number>>, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, cells[name] ?? 0]))
}

/** Returns the values that are renewed only together with all counts. They reveal nothing that the counts do not. */
function totalsOf(
  question: FrozenForm,
  sums: QuestionSums,
  cells: Readonly<Record<string, number>>,
  minPersons: number,
): Pick<QuestionReport, 'persons' | 'facility' | 'correlation' | 'median_seconds' | 'flags'> {
  const { persons } = sums.item
  const key = optionsOf(question).find(({ correct }) => correct)
  const isFacilityShown = (question.form === 'single' && key !== undefined ? optionCell(key.id) : FULL) in cells
  const correlation = isFacilityShown && persons >= MIN_PERSONS_OF_CORRELATION ? itemRestCorrelation(sums.item) : null
  const medianSeconds = medianOf(sums.seconds, minPersons)
  return {
    persons,
    facility: isFacilityShown ? facility(sums.item, 1) : null,
    correlation,
    median_seconds: medianSeconds,
    flags: flagsFor(question, { persons, cells }, { correlation, medianSeconds }),
  }
}

/** Returns the shares of wrong options by id, as far as the published counts reveal the number of all wrong choices. */
function sharesOf(question: FrozenForm, { persons, cells }: CellCounts): Map<string, number | null> {
  if (question.form !== 'single') return new Map()
  const counted = question.options.map(({ id, correct }) => ({ id, correct, count: cells[optionCell(id)] }))
  const hidden = persons - sum(cells)
  const isHidden = counted.filter(({ count }) => count === undefined)
  const areAllWrong = UNANSWERED in cells && isHidden.every(({ correct }) => !correct)
  const isNoneWrong = isHidden.every(({ correct }) => correct)
  if (hidden > 0 && !areAllWrong && !isNoneWrong) return new Map()
  const others = { correct: false, count: isNoneWrong ? 0 : hidden }
  const shares = distractorShares([...counted.map(({ correct, count = 0 }) => ({ correct, count })), others])
  return new Map(counted.map(({ id, count }, index) => [id, count === undefined ? null : (shares[index] ?? null)]))
}

function sum(cells: Readonly<Record<string, number>>): number {
  return Object.values(cells).reduce((total, count) => total + count, 0)
}

/** Returns the flags that follow from published values. */
function flagsFor(
  question: FrozenForm,
  { persons, cells }: CellCounts,
  rest: { correlation: number | null; medianSeconds: number | null },
): Flag[] {
  const hidden = persons - sum(cells)
  const options = (question.form === 'single' ? question.options : []).map(({ id, correct }) => ({
    correct,
    // A right option without a published count has at most the persons of all hidden cells.
    count: cells[optionCell(id)] ?? (correct ? hidden : 0),
  }))
  return flagsOf({ options, persons, ...rest }).filter((flag) => flag !== 'never_chosen' || hidden === 0)
}

/** Returns the median time in seconds; null if fewer than `minPersons` persons have a time. */
function medianOf(seconds: Readonly<Record<string, number>>, minPersons: number): number | null {
  const times = Object.entries(seconds)
    .map(([second, count]) => ({ second: Number(second), count }))
    .sort((a, b) => a.second - b.second)
  const persons = times.reduce((sum, { count }) => sum + count, 0)
  if (persons < minPersons) return null
  const at = (index: number) => {
    let before = 0
    for (const { second, count } of times) {
      before += count
      if (before > index) return second
    }
    return 0
  }
  return (at(Math.floor((persons - 1) / 2)) + at(Math.floor(persons / 2))) / 2
}
