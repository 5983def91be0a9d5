import type { Test as Tap } from 'tap'
import { currentMembershipStart, type Span } from '../../src/domain/assignments/membership-start.js'
import { isLocked } from '../../src/domain/assignments/part-state.js'
import {
  createPlanner,
  dueOf,
  isOpen,
  type Occurrence,
  type PlannedAssignment,
} from '../../src/domain/assignments/plan.js'
import { validUntil } from '../../src/domain/assignments/schedule.js'
import { mulberry32 } from './random.js'

const DAYS = Array.from({ length: 3 * 365 + 1 }, (_, index) =>
  new Date(Date.UTC(2026, 10, 25 + index)).toISOString().slice(0, 10),
)
const OUTAGE = { from: '2028-01-20', until: '2028-04-20' }
const BASE = { created_on: '2026-11-25', version: 1, renewed_on: null, planned_on: null }

/** Days from joining to the start of `path`, whose parts are ordered */
const START_DAYS = 10
const PARTS = 3

const ASSIGNMENTS = {
  once: { ...BASE, starts: { joining: true as const }, due: { days_after_start: 30 }, recurrence: null },
  fixed: {
    ...BASE,
    starts: '2026-12-01',
    due: '2026-12-31',
    recurrence: { every_months: 12, window_end: '03-31', opens_days_before: 30 },
  },
  completed: {
    ...BASE,
    starts: '2026-12-01',
    due: '2026-12-31',
    recurrence: { every_months: 12, opens_days_before: 30 },
  },
  path: {
    ...BASE,
    starts: { days_after_joining: START_DAYS },
    due: { days_after_start: 5 },
    recurrence: null,
  },
} satisfies Record<string, PlannedAssignment>
type Name = keyof typeof ASSIGNMENTS
const NAMES = Object.keys(ASSIGNMENTS) as Name[]

interface Person {
  spans: Span[]
  team: 'A' | 'B' | undefined
  isDisabled: boolean
  histories: Record<Name, Occurrence[]>
  /** Days on which the occurrences of `histories` were planned */
  plannedOn: Record<Name, string[]>
  /** Extensions of `fixed` by its responsible person, or after a return */
  extensions: { period: string; on: string; until: string }[]
  /** For each day, the index of the day when the person joined the audience; undefined on days outside the audience */
  arrivals: (number | undefined)[]
  completions: Record<Name, Map<string, string>>
  /** For each day, the index of the day when the membership began, also while the account is disabled */
  joins: (number | undefined)[]
  /** Parts of `path` in the order in which they were done */
  doneParts: number[]
}

/** Simulates all days and returns the indexes of the days on which the job ran. */
function live(people: Person[], random: () => number): number[] {
  const jobDays: number[] = []
  const planned: Record<Name, string | null> = { once: null, fixed: null, completed: null, path: null }
  let id = 0
  for (const [day, today] of DAYS.entries()) {
    const isOut = today >= OUTAGE.from && today < OUTAGE.until
    const planners = NAMES.map((name) => createPlanner({ ...ASSIGNMENTS[name], planned_on: planned[name] }, today))
    for (const person of people) {
      move(person, today, isOut, random)
      const since = person.isDisabled ? undefined : currentMembershipStart(person.spans, today)
      person.joins.push(person.team === undefined ? undefined : (person.joins.at(-1) ?? day))
      const isHere = !person.isDisabled && person.team !== undefined
      person.arrivals.push(isHere ? (person.arrivals.at(-1) ?? day) : undefined)
      for (const [index, name] of NAMES.entries()) {
        const history = person.histories[name]
        const plan = isOut ? undefined : planners[index]?.(since, history)
        if (plan !== undefined) {
          for (const row of plan.insert) {
            history.push({
              id: id++,
              period: row.period,
              due_on: row.due_on,
              extended_until: null,
              state: row.missed_on === null ? 'open' : 'missed',
              done_on: null,
              covered_until: null,
              content_version: 1,
              reopened: false,
            })
            person.plannedOn[name].push(today)
          }
          for (const one of history) {
            if (plan.miss.some(({ id }) => id === one.id)) one.state = 'missed'
            if (plan.close.includes(one.id)) one.state = 'left'
            const returned = plan.reopen.find(({ id }) => id === one.id)
            if (returned !== undefined) {
              one.state = 'open'
              extendTo(person, name, one, today, returned.extended_until)
            }
          }
        }
        if (since !== undefined) act(person, name, { today, isOut }, random)
      }
    }
    if (isOut) continue
    jobDays.push(day)
    for (const name of NAMES) planned[name] = today
  }
  return jobDays
}

function newPerson(random: () => number): Person {
  const isMember = random() < 0.7
  return {
    spans: isMember ? [{ from_on: '2026-11-25', until_on: null }] : [],
    team: isMember ? 'A' : undefined,
    isDisabled: false,
    histories: { once: [], fixed: [], completed: [], path: [] },
    plannedOn: { once: [], fixed: [], completed: [], path: [] },
    extensions: [],
    arrivals: [],
    completions: { once: new Map(), fixed: new Map(), completed: new Map(), path: new Map() },
    joins: [],
    doneParts: [],
  }
}

/**
 * Changes the membership or the account state of a person at random. Changes nothing on the first day, because the
 * assignments are created on that day. Accounts are neither disabled nor enabled while the job does not run.
 */
function move(person: Person, today: string, isOut: boolean, random: () => number): void {
  const chance = random()
  if (today === DAYS[0]) return
  if (person.isDisabled) {
    if (chance < 0.01 && !isOut) person.isDisabled = false
  } else if (chance < 0.0004) {
    if (!isOut) person.isDisabled = true
  } else if (person.team === undefined) {
    if (chance < 0.004) join(person, today, random)
  } else if (chance < 0.0015) leave(person, today)
  else if (chance < 0.004) {
    leave(person, today)
    join(person, today, random)
  }
}

function join(person: Person, today: string, random: () => number): void {
  person.team = random() < 0.5 ? 'A' : 'B'
  person.spans.push({ from_on: today, until_on: null })
}

function leave(person: Person, today: string): void {
  person.team = undefined
  const last = person.spans.at(-1)
  if (last !== undefined) last.until_on = today
}

/**
 * Completes the oldest open occurrence with a probability of 1 % per call, so that people finish early, late or never.
 * Some get an extension before the next period ends, and some missed occurrences are opened again.
 */
function act(
  person: Person,
  name: Name,
  { today, isOut }: { today: string; isOut: boolean },
  random: () => number,
): void {
  const chance = random()
  const history = person.histories[name]
  const oldest = history.find(isOpen)
  if (name === 'fixed' && chance > 0.995) {
    const missed = history.find(({ state }) => state === 'missed')
    if (missed === undefined) {
      const next = OPENINGS.find((opening) => opening > (oldest?.period ?? ''))
      const until = next && dayAt(DAYS.indexOf(next) + Math.floor(random() * 30))
      if (oldest !== undefined && until !== undefined && until > dueOf(oldest) && until > today)
        extendTo(person, name, oldest, today, until)
      return
    }
    missed.state = 'open'
    missed.reopened = true
    missed.extended_until = dayAt(DAYS.indexOf(today) + 20)
    return
  }
  if (oldest === undefined) return
  if (name === 'path') {
    if (chance > 0.2) return
    const part = Math.floor(random() * PARTS)
    const done = new Set(person.doneParts)
    if (!done.has(part) && !isLocked({ ordered: true }, part, done)) person.doneParts.push(part)
    if (person.doneParts.length < PARTS) return
  } else if (chance > 0.01) return
  // The request of the person would plan the next period first.
  if (isOut && OPENINGS.some((opening) => opening > oldest.period && opening <= today)) return
  oldest.state = 'done'
  oldest.done_on = today
  person.completions[name].set(oldest.period, today)
}

function extendTo({ extensions }: Person, name: Name, occurrence: Occurrence, on: string, until: string): void {
  occurrence.extended_until = until
  if (name === 'fixed') extensions.push({ period: occurrence.period, on, until })
}

/** Days on which a period of `fixed` opens: the start, and then each 1 March, 30 days before 31 March */
const OPENINGS = ['2026-12-01', '2027-03-01', '2028-03-01', '2029-03-01', '2030-03-01']

/** For each day, the index of the current opening; before the first opening, `OPENINGS.length`, an invalid index */
const CURRENT_OPENING = DAYS.map((today) => {
  const index = OPENINGS.findLastIndex((opening) => opening <= today)
  return index < 0 ? OPENINGS.length : index
})

/** Returns whether an extension of the last period keeps the next one closed on a day. */
function isWaiting({ arrivals, extensions, completions }: Person, last: string | undefined, day: number): boolean {
  const today = dayAt(day)
  if (last === undefined || (completions.fixed.get(last) ?? '9999') < today) return false
  const extension = extensions.findLast(({ period, on }) => period === last && on < today)
  if (extension === undefined || extension.until < today) return false
  // The end of a membership or the deactivation of the account closes the extended one.
  return !arrivals.slice(DAYS.indexOf(extension.on), day).includes(undefined) && isSameStay(arrivals, extension.on, day)
}

const isSameStay = (arrivals: Person['arrivals'], on: string, day: number) => (arrivals[day] ?? day) <= DAYS.indexOf(on)

const EXPECT: Record<Name, (person: Person, jobDays: number[]) => string[]> = {
  once: ({ arrivals, joins }, jobDays) => {
    const first = jobDays.find((day) => arrivals[day] !== undefined)
    return first === undefined ? [] : [dayAt(joins[first] ?? 0)]
  },

  fixed: (person, jobDays) => {
    const { arrivals } = person
    const expected = new Set<string>()
    let before = -1
    for (const day of jobDays) {
      const arrived = arrivals[day]
      if (arrived !== undefined) {
        for (let present = Math.max(arrived, before + 1); present <= day; present++) {
          const [opening, next = ''] = OPENINGS.slice(CURRENT_OPENING[present])
          // A person who joins after the opening and at most 30 days before the next opening waits for the next period.
          const isShortBefore = arrived > 0 && dayAt(arrived) > (opening ?? '') && dayAt(arrived + 30) >= next
          const last = [...expected].filter((one) => one < (opening ?? '')).at(-1)
          if (opening !== undefined && !isShortBefore && !isWaiting(person, last, day)) expected.add(opening)
        }
      }
      before = day
    }
    return [...expected].sort()
  },

  path: ({ arrivals, joins }, jobDays) => {
    const first = jobDays.find((day) => arrivals[day] !== undefined && (joins[day] ?? day) + START_DAYS <= day)
    return first === undefined ? [] : [dayAt((joins[first] ?? 0) + START_DAYS)]
  },

  completed: ({ arrivals, completions }, jobDays) => {
    const expected: string[] = []
    let opening = '2026-12-01'
    let done: string | undefined
    for (const day of jobDays) {
      if (arrivals[day] === undefined) continue
      const today = dayAt(day)
      const current = expected.at(-1)
      if (done === undefined && current !== undefined) {
        done = completions.completed.get(current)
        if (done !== undefined && done >= today) done = undefined
        if (done !== undefined) opening = thirtyDaysBefore(aYearAfter(done))
      }
      if (opening > today || opening === current) continue
      expected.push(opening)
      done = undefined
    }
    return expected
  },
}

function checkStates(t: Pick<Tap, 'fail'>, { arrivals, histories, plannedOn }: Person, name: Name): void {
  const history = histories[name]
  if (new Set(history.map(({ period }) => period)).size < history.length) t.fail('a period twice')
  for (const { state, period, done_on } of history) {
    if (done_on !== null && done_on < period) t.fail(`done before it opened: ${period}`)
    if ((state === 'done') !== (done_on !== null)) t.fail(`${state} with ${done_on}`)
  }
  if (history.filter((one) => isOpen(one) && !one.reopened).length > 1) t.fail('two are open')
  for (const [index, { state, period, reopened, done_on, due_on }] of history.entries()) {
    const next = plannedOn[name][index + 1]
    if (next !== undefined && isOpen({ state }) && !reopened) t.fail(`open beside a later one: ${period}`)
    if (state === 'missed' && next === undefined) t.fail(`missed before the next one: ${period}`)
    if ((name === 'once' || name === 'path') && state === 'missed') t.fail('missed without a next period')
    if (done_on === null) continue
    if (next !== undefined && done_on >= next && !reopened) t.fail(`done after the next one opened: ${period}`)
    const valid = validUntil(ASSIGNMENTS[name].recurrence, { due_on, done_on })
    const expected = VALID[name](due_on, done_on)
    if (valid !== expected) t.fail(`valid until ${valid} instead of ${expected}`)
  }
  const days = history.flatMap(({ done_on, reopened }) => (reopened ? [] : (done_on ?? [])))
  if (days.join() !== [...days].sort().join()) t.fail('a period was done before an earlier one')
  const isHere = arrivals.at(-1) !== undefined
  if (!isHere && history.some(isOpen)) t.fail('open after leaving')
  if (isHere && history.at(-1)?.state === 'left') t.fail('left, but in the audience')
}

const VALID: Record<Name, (due_on: string, done_on: string) => string | null> = {
  once: () => null,
  fixed: (due_on, done_on) => {
    const year = [2027, 2028, 2029, 2030, 2031].find((one) => `${one}-03-01` > due_on && `${one}-03-31` >= done_on)
    return `${year}-03-31`
  },
  completed: (_, done_on) => aYearAfter(done_on),
  path: () => null,
}

function dayAt(index: number): string {
  return DAYS[index] ?? new Date(Date.UTC(2026, 10, 25 + index)).toISOString().slice(0, 10)
}

function aYearAfter(day: string): string {
  return day.endsWith('02-29')
    ? `${Number(day.slice(0, 4)) + 1}-02-28`
    : `${Number(day.slice(0, 4)) + 1}${day.slice(4)}`
}

function thirtyDaysBefore(day: string): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, date - 30)).toISOString().slice(0, 10)
}

/**
 * Simulates three years with people who join, leave, return, change teams, are disabled and enabled, and finish early,
 * late or never, with extensions and reopenings. The daily planning job does not run for three of the months. Computes
 * the expected periods day by day from each person's history, without the code under test.
 */
export function simulateThreeYears(t: Tap, { seed, people: count }: { seed: number; people: number }): void {
  const random = mulberry32(seed)
  const people = Array.from({ length: count }, () => newPerson(random))
  const jobDays = live(people, random)
  for (const [index, person] of people.entries()) {
    for (const name of NAMES) {
      const found = person.histories[name].map(({ period }) => period)
      const expected = EXPECT[name](person, jobDays)
      if (found.join() !== expected.join())
        t.fail(`${name} of person ${index}`, { found, expected, spans: person.spans, extensions: person.extensions })
      checkStates(t, person, name)
    }
    if (person.doneParts.some((part, place) => part !== place))
      t.fail('a part before its turn', { found: person.doneParts })
  }
  const all = people.flatMap(({ histories }) => NAMES.flatMap((name) => histories[name]))
  t.strictSame(new Set(all.map(({ state }) => state)), new Set(['open', 'done', 'left', 'missed']))
  t.ok(all.some(({ reopened, state }) => reopened && state === 'done'))
}
