/**
 * Simulates three years with 1,000 people who join, leave, return, change teams, are disabled and enabled, and finish
 * early, late or never. The daily planning job does not run for three of the months. The test computes the expected
 * periods day by day from each person's history, without the code under test.
 */
import t, { type Test as Tap } from 'tap'
import { currentMembershipStart, type Span } from '../../src/domain/assignments/membership-start.js'
import { createPlanner, isOpen, type Occurrence, type PlannedAssignment } from '../../src/domain/assignments/plan.js'
import { mulberry32 } from '../support/random.js'
import { SEED } from '../support/seed.js'

const PEOPLE = 1_000
const DAYS = Array.from({ length: 3 * 365 + 1 }, (_, index) =>
  new Date(Date.UTC(2026, 10, 25 + index)).toISOString().slice(0, 10),
)
const OUTAGE = { from: '2028-01-20', until: '2028-04-20' }
const BASE = { created_on: '2026-11-25', version: 1, renewed_on: null, planned_on: null }

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
} satisfies Record<string, PlannedAssignment>
type Name = keyof typeof ASSIGNMENTS
const NAMES = Object.keys(ASSIGNMENTS) as Name[]

interface Person {
  spans: Span[]
  team: 'A' | 'B' | undefined
  isDisabled: boolean
  histories: Record<Name, Occurrence[]>
  /** For each day, the index of the day when the person joined the audience; undefined on days outside the audience */
  arrivals: (number | undefined)[]
  completions: Record<Name, Map<string, string>>
}

const random = mulberry32(SEED)

/** Simulates all days and returns the indexes of the days on which the job ran. */
function live(people: Person[]): number[] {
  const jobDays: number[] = []
  const planned: Record<Name, string | null> = { once: null, fixed: null, completed: null }
  let id = 0
  for (const [day, today] of DAYS.entries()) {
    const isOut = today >= OUTAGE.from && today < OUTAGE.until
    const planners = NAMES.map((name) => createPlanner({ ...ASSIGNMENTS[name], planned_on: planned[name] }, today))
    for (const person of people) {
      move(person, today, isOut)
      const since = person.isDisabled ? undefined : currentMembershipStart(person.spans, today)
      const isHere = !person.isDisabled && person.team !== undefined
      person.arrivals.push(isHere ? (person.arrivals.at(-1) ?? day) : undefined)
      for (const [index, name] of NAMES.entries()) {
        const history = person.histories[name]
        const plan = isOut ? undefined : planners[index]?.(since, history)
        if (plan !== undefined) {
          for (const row of plan.insert) {
            history.push({
              id: id++,
              ...row,
              extended_until: null,
              state: 'open',
              done_on: null,
              covered_until: null,
              content_version: 1,
            })
          }
          for (const one of history) {
            if (plan.close.includes(one.id)) one.state = 'left'
            if (plan.reopen.some((reopened) => reopened.id === one.id)) one.state = 'open'
          }
        }
        if (since !== undefined) complete(person, name, today)
      }
    }
    if (isOut) continue
    jobDays.push(day)
    for (const name of NAMES) planned[name] = today
  }
  return jobDays
}

function newPerson(): Person {
  const isMember = random() < 0.7
  return {
    spans: isMember ? [{ from_on: '2026-11-25', until_on: null }] : [],
    team: isMember ? 'A' : undefined,
    isDisabled: false,
    histories: { once: [], fixed: [], completed: [] },
    arrivals: [],
    completions: { once: new Map(), fixed: new Map(), completed: new Map() },
  }
}

/**
 * Changes the membership or the account state of a person at random. Changes nothing on the first day, because the
 * assignments are created on that day. Accounts are neither disabled nor enabled while the job does not run.
 */
function move(person: Person, today: string, isOut: boolean): void {
  const chance = random()
  if (today === DAYS[0]) return
  if (person.isDisabled) {
    if (chance < 0.01 && !isOut) person.isDisabled = false
  } else if (chance < 0.0004) {
    if (!isOut) person.isDisabled = true
  } else if (person.team === undefined) {
    if (chance < 0.004) join(person, today)
  } else if (chance < 0.0015) leave(person, today)
  else if (chance < 0.004) {
    leave(person, today)
    join(person, today)
  }
}

function join(person: Person, today: string): void {
  person.team = random() < 0.5 ? 'A' : 'B'
  person.spans.push({ from_on: today, until_on: null })
}

function leave(person: Person, today: string): void {
  person.team = undefined
  const last = person.spans.at(-1)
  if (last !== undefined) last.until_on = today
}

/**
 * Completes the oldest open occurrence with a probability of 2 % per call, so that people finish early, late or never.
 */
function complete({ histories, completions }: Person, name: Name, today: string): void {
  const oldest = histories[name].find(isOpen)
  if (oldest === undefined || random() > 0.02) return
  oldest.state = 'done'
  oldest.done_on = today
  completions[name].set(oldest.period, today)
}

/** Days on which a period of `fixed` opens: the start, and then each 1 March, 30 days before 31 March */
const OPENINGS = ['2026-12-01', '2027-03-01', '2028-03-01', '2029-03-01', '2030-03-01']

/** For each day, the index of the current opening; before the first opening, `OPENINGS.length`, an invalid index */
const CURRENT_OPENING = DAYS.map((today) => {
  const index = OPENINGS.findLastIndex((opening) => opening <= today)
  return index < 0 ? OPENINGS.length : index
})

const EXPECT: Record<Name, (person: Person, jobDays: number[]) => string[]> = {
  once: ({ arrivals }, jobDays) => {
    const first = jobDays.find((day) => arrivals[day] !== undefined)
    return first === undefined ? [] : [dayAt(arrivals[first] ?? 0)]
  },

  fixed: ({ arrivals }, jobDays) => {
    const expected = new Set<string>()
    let before = -1
    for (const day of jobDays) {
      const arrived = arrivals[day]
      if (arrived !== undefined) {
        for (let present = Math.max(arrived, before + 1); present <= day; present++) {
          const [opening, next = ''] = OPENINGS.slice(CURRENT_OPENING[present])
          // A person who joins after the opening and at most 30 days before the next opening waits for the next period.
          const isShortBefore = arrived > 0 && dayAt(arrived) > (opening ?? '') && dayAt(arrived + 30) >= next
          if (opening !== undefined && !isShortBefore) expected.add(opening)
        }
      }
      before = day
    }
    return [...expected].sort()
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

function checkStates(t: Pick<Tap, 'fail'>, { arrivals, histories }: Person, name: Name): void {
  const history = histories[name]
  if (new Set(history.map(({ period }) => period)).size < history.length) t.fail('a period twice')
  for (const { state, period, done_on } of history) {
    if (done_on !== null && done_on < period) t.fail(`done before it opened: ${period}`)
    if ((state === 'done') !== (done_on !== null)) t.fail(`${state} with ${done_on}`)
  }
  const days = history.flatMap(({ done_on }) => done_on ?? [])
  if (days.join() !== [...days].sort().join()) t.fail('a period was done before an earlier one')
  const isHere = arrivals.at(-1) !== undefined
  if (!isHere && history.some(isOpen)) t.fail('open after leaving')
  if (isHere && history.at(-1)?.state === 'left') t.fail('left, but in the audience')
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

t.test('exactly one occurrence per person and period', async (t) => {
  const people = Array.from({ length: PEOPLE }, newPerson)
  const jobDays = live(people)
  for (const [index, person] of people.entries()) {
    for (const name of NAMES) {
      const found = person.histories[name].map(({ period }) => period)
      const expected = EXPECT[name](person, jobDays)
      if (found.join() !== expected.join())
        t.fail(`${name} of person ${index}`, { found, expected, spans: person.spans })
      checkStates(t, person, name)
    }
  }
  const all = people.flatMap(({ histories }) => NAMES.flatMap((name) => histories[name]))
  t.strictSame(new Set(all.map(({ state }) => state)), new Set(['open', 'done', 'left']))
})
