import type { FrozenForm, FrozenQuestion } from '../questions/frozen.js'
import type { Answer } from '../questions/judge.js'
import {
  addPerson,
  distractorShares,
  type Flag,
  facility,
  flagsOf,
  hideSmallCells,
  type ItemSums,
  isLargeEnough,
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

/** Statistics of a question for editors; null if a value concerns too few persons or does not apply. Plain JSON. */
export interface QuestionReport {
  persons: number
  /** Mean share of the points */
  facility: number | null
  /** Number of persons by option of a choice. Single choices also have the share of each wrong option. */
  options: { id: string; count: number | null; share: number | null }[]
  unanswered: number | null
  correlation: number | null
  median_seconds: number | null
  flags: Flag[]
}

/** Returns the report of a question. The caller must check that the sums have at least `minPersons` persons. */
export function reportOf(question: FrozenQuestion, sums: QuestionSums, minPersons: number): QuestionReport {
  const { persons } = sums.item
  const median_seconds = medianOf(sums.seconds, minPersons)
  const { isFacilityShown, options, unanswered } = cellsOf(question, sums, minPersons)
  const correlation = isFacilityShown && persons >= MIN_PERSONS_OF_CORRELATION ? itemRestCorrelation(sums.item) : null
  return {
    persons,
    facility: isFacilityShown ? facility(sums.item, 1) : null,
    options: options.map(({ id, count, share }) => ({ id, count, share })),
    unanswered,
    correlation,
    median_seconds,
    flags: flagsFor(question, options, { persons, correlation, medianSeconds: median_seconds }),
  }
}

interface Cell {
  id: string
  correct: boolean
  /** Number of persons who chose the option, even if `count` hides it */
  chosen: number
  count: number | null
  share: number | null
}

interface Cells {
  isFacilityShown: boolean
  options: Cell[]
  unanswered: number | null
}

function cellsOf(question: FrozenForm, sums: QuestionSums, minPersons: number): Cells {
  const { persons } = sums.item
  const counted =
    'options' in question
      ? question.options.map(({ id, correct }) => ({ id, correct, chosen: sums.chosen[id] ?? 0 }))
      : []
  if (question.form === 'single') return cellsOfSingle(counted, sums.unanswered, minPersons)
  const { full } = sums
  const [fullShown, , unanswered = null] = hideSmallCells(
    [full, persons - full - sums.unanswered, sums.unanswered],
    minPersons,
  )
  const isFacilityShown = fullShown !== null
  // If the facility is shown, it may reveal how many persons have all points. A count must then not single out a few
  // of the persons without all points either.
  const isShown = (chosen: number, correct: boolean) =>
    isLargeEnough(chosen, persons, minPersons) &&
    (!isFacilityShown || isLargeEnough(correct ? chosen - full : chosen, persons - full, minPersons))
  return {
    isFacilityShown,
    options: counted.map((option) => ({
      ...option,
      count: isShown(option.chosen, option.correct) ? option.chosen : null,
      share: null,
    })),
    unanswered,
  }
}

/** Hides cells of a single choice, where each person counts in exactly one cell. */
function cellsOfSingle(
  counted: readonly { id: string; correct: boolean; chosen: number }[],
  unanswered: number,
  minPersons: number,
): Cells {
  const counts = hideSmallCells([...counted.map(({ chosen }) => chosen), unanswered], minPersons)
  const cells = counted.map((option, index) => ({ ...option, count: counts[index] ?? null }))
  const hidden = (isWrong: boolean) =>
    cells.reduce((sum, { count, correct, chosen }) => sum + (count === null && correct !== isWrong ? chosen : 0), 0) +
    (!isWrong && counts.at(-1) === null ? unanswered : 0)
  // A share reveals the number of all wrong choices, and so the sum of the hidden cells.
  const areSharesShown = [hidden(true), hidden(false)].every((sum) => sum === 0 || sum >= minPersons)
  const shares = distractorShares(counted.map(({ correct, chosen }) => ({ correct, count: chosen })))
  return {
    isFacilityShown: cells.every(({ correct, count }) => !correct || count !== null),
    options: cells.map((cell, index) => ({
      ...cell,
      share: areSharesShown && cell.count !== null ? (shares[index] ?? null) : null,
    })),
    unanswered: counts.at(-1) ?? null,
  }
}

function flagsFor(
  { form }: FrozenForm,
  cells: readonly Cell[],
  rest: { persons: number; correlation: number | null; medianSeconds: number | null },
): Flag[] {
  const options = form === 'single' ? cells.map(({ correct, chosen }) => ({ correct, count: chosen })) : []
  const key = cells.find(({ correct }) => correct)?.chosen ?? 0
  // The flag `more_than_key` must not reveal the count of a hidden option.
  const mayCompare = cells.some(({ correct, chosen, count }) => !correct && count !== null && chosen > key)
  return flagsOf({ options, ...rest }).filter((flag) => flag !== 'more_than_key' || mayCompare)
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
