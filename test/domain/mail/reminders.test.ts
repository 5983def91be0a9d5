import t from 'tap'
import type { OccurrenceState } from '../../../src/domain/assignments/plan.js'
import {
  createMailTime,
  findDueReminder,
  isWorkingDay,
  nextWorkingDay,
  plannedReminders,
  type Remindable,
} from '../../../src/domain/mail/reminders.js'
import { addDays, calendarIn, laterDay, mondayOf, startOfDay } from '../../../src/domain/time/calendar.js'
import fc, { runs } from '../../support/property.js'
import { mulberry32 } from '../../support/random.js'
import { SEED } from '../../support/seed.js'

const day = fc.integer({ min: 0, max: 2_000 }).map((days) => addDays('2026-01-01', days))

t.test('plans reminders by a table of cases', async (t) => {
  // 30 November 2026 is a Monday.
  const plan = (period: string, due_on: string, more: Partial<Remindable> = {}) =>
    plannedReminders({ period, due_on, extended_until: null, state: 'open', mandatory: true, ...more }).map(
      ({ kind, day }) => `${kind} ${day.slice(5)}`,
    )
  for (const [name, planned, expected] of [
    [
      'weekdays',
      plan('2026-11-02', '2026-12-02'),
      ['assigned 11-02', 'in_14 11-18', 'in_3 11-30', 'today 12-02', 'late_7 12-09'],
    ],
    [
      'weekends move to Monday',
      plan('2026-11-01', '2026-12-05'),
      ['assigned 11-02', 'in_14 11-23', 'in_3 12-02', 'today 12-07', 'late_7 12-14'],
    ],
    [
      'due on Tuesday: 3 days before is a Saturday',
      plan('2026-11-30', '2026-12-08'),
      ['assigned 11-30', 'in_3 12-07', 'today 12-08', 'late_7 12-15'],
    ],
    ['short: only the due day', plan('2026-11-30', '2026-12-03'), ['assigned 11-30', 'today 12-03', 'late_7 12-10']],
    ['due on the first day', plan('2026-11-30', '2026-11-30'), ['assigned 11-30', 'today 11-30', 'late_7 12-07']],
    [
      'assigned on Saturday: Monday is not reminded twice',
      plan('2026-11-28', '2026-12-14'),
      ['assigned 11-30', 'in_3 12-11', 'today 12-14', 'late_7 12-21'],
    ],
    [
      'extended',
      plan('2026-11-02', '2026-11-10', { extended_until: '2026-12-02' }),
      ['assigned 11-02', 'in_14 11-18', 'in_3 11-30', 'today 12-02', 'late_7 12-09'],
    ],
    ['optional', plan('2026-11-30', '2026-12-03', { mandatory: false }), ['assigned 11-30', 'today 12-03']],
    [
      'summer time begins in between',
      plan('2027-03-15', '2027-04-01'),
      ['assigned 03-15', 'in_14 03-18', 'in_3 03-29', 'today 04-01', 'late_7 04-08'],
    ],
    [
      '29 February',
      plan('2028-02-01', '2028-02-29'),
      ['assigned 02-01', 'in_14 02-15', 'in_3 02-28', 'today 02-29', 'late_7 03-07'],
    ],
  ] as const) {
    t.same(planned, expected, name)
  }

  const occurrence = {
    period: '2026-11-02',
    due_on: '2026-12-02',
    extended_until: null,
    state: 'open' as const,
    mandatory: true,
  }
  for (const [name, today, reminded_on, more, kind] of [
    ['the first one', '2026-11-02', null, {}, 'assigned'],
    ['not twice on a day', '2026-11-02', '2026-11-02', {}, undefined],
    ['nothing in between', '2026-11-17', '2026-11-02', {}, undefined],
    ['two days late', '2026-11-20', '2026-11-02', {}, 'in_14'],
    ['an address after months: only the latest', '2027-03-01', null, {}, 'late_7'],
    ['and nothing after it', '2027-03-02', '2027-03-01', {}, undefined],
    ['done', '2026-12-02', null, { state: 'done' }, undefined],
    ['exempt', '2026-12-02', null, { state: 'exempt' }, undefined],
    ['recognised', '2026-12-02', null, { state: 'recognised' }, undefined],
    ['left', '2026-12-02', null, { state: 'left' }, undefined],
    [
      'extended on the due day: again before the new one',
      '2026-12-30',
      '2026-12-02',
      { extended_until: '2027-01-13' },
      'in_14',
    ],
    ['begun', '2026-12-02', '2026-11-30', { state: 'in_progress' }, 'today'],
    ['before it begins', '2026-10-30', null, {}, undefined],
  ] as const) {
    t.equal(findDueReminder({ ...occurrence, reminded_on, ...more }, today), kind, name)
  }
})

t.test('plans working days in order, each kind once, and never on the day of the assignment again', async () => {
  fc.assert(
    fc.property(day, fc.nat(400), fc.option(fc.nat(400)), fc.boolean(), (period, days, more, mandatory) => {
      const due_on = addDays(period, days)
      const extended_until = more === null ? null : addDays(due_on, more)
      const planned = plannedReminders({ period, due_on, extended_until, state: 'open', mandatory })
      const days_ = planned.map((one) => one.day)
      return (
        days_.every(isWorkingDay) &&
        days_.every((one, index) => index === 0 || one >= (days_[index - 1] as string)) &&
        new Set(planned.map(({ kind }) => kind)).size === planned.length &&
        planned.every(({ kind, day }) => !kind.startsWith('in_') || day > (days_[0] as string)) &&
        planned.some(({ kind }) => kind === 'late_7') === mandatory
      )
    }),
  )
})

t.test('mails go from 7 to 20 h on working days of the time zone, also when clocks change', async () => {
  for (const timeZone of ['Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'UTC']) {
    const isMailTime = createMailTime(timeZone)
    const dayOf = calendarIn(timeZone)
    fc.assert(
      fc.property(day, fc.nat(23), fc.nat(59), (today, hour, minute) => {
        const { instant } = startOfDay(today, timeZone)
        const at = new Date(instant.getTime() + (hour * 60 + minute) * 60_000)
        const local = Number(at.toLocaleString('en-GB', { timeZone, hour: '2-digit' }))
        const isOpen = local >= 7 && local < 20 && isWorkingDay(dayOf(at))
        return isMailTime({ at, today: dayOf(at) }) === isOpen
      }),
    )
  }
  fc.assert(
    fc.property(day, (today) => {
      const monday = mondayOf(today)
      const next = nextWorkingDay(today)
      return (
        new Date(`${monday}T00:00Z`).getUTCDay() === 1 && monday <= today && addDays(monday, 7) > today && next >= today
      )
    }),
  )
})

/**
 * Simulates three years with people whose tasks begin, are extended, end and are reopened. Some addresses are
 * added late, and on some days the job for reminders does not run. The test computes the expected mails from the states
 * on each day, without `reminded_on`.
 */
t.test('gives no reminder twice and misses none in three years', async (t) => {
  const random = mulberry32(SEED)
  const below = (limit: number) => Math.floor(random() * limit)
  const DAYS = 3 * 365
  const days = Array.from({ length: DAYS }, (_, index) => addDays('2026-11-25', index))
  const isUp = days.map(() => random() > 0.03)
  for (let at = 200; at < 260; at++) isUp[at] = false
  let expectedMails = 0
  let mails = 0
  let wrong = 0
  for (let person = 0; person < runs(100); person++) {
    const addressFrom = random() < 0.7 ? 0 : below(DAYS)
    const occurrences = Array.from({ length: 1 + below(4) }, () => createDiary())
    const expected = occurrences.map((diary) => expectedDays(diary, addressFrom))
    const given = occurrences.map(() => [] as number[])
    for (const [index, today] of days.entries()) {
      if (!isUp[index] || index < addressFrom || !isWorkingDay(today)) continue
      let isMailed = false
      for (const [which, diary] of occurrences.entries()) {
        const state = diary[index]
        if (state === undefined) continue
        const last = given[which]?.at(-1)
        const reminded_on = last === undefined ? null : (days[last] as string)
        if (findDueReminder({ ...state, reminded_on }, today) === undefined) continue
        given[which]?.push(index)
        isMailed = true
      }
      if (isMailed) mails++
    }
    expectedMails += new Set(expected.flat()).size
    for (const [which, one] of given.entries()) if (one.join() !== expected[which]?.join()) wrong++
  }
  t.equal(wrong, 0, 'occurrences with a missing or an additional reminder')
  t.equal(mails, expectedMails)

  /** Simulates a random occurrence. Returns its column values by index in `days`; undefined before its creation. */
  function createDiary(): (Omit<Remindable, 'reminded_on'> | undefined)[] {
    const start = below(DAYS - 30)
    const period = days[start] as string
    // Some occurrences are planned late, such as those of an assignment that began in the past.
    const known = start + (random() < 0.2 ? below(40) : 0)
    const due_on = addDays(period, below(random() < 0.3 ? 8 : 90))
    const mandatory = random() < 0.7
    const ended: OccurrenceState[] = ['done', 'exempt', 'recognised', 'left']
    let extended_until: string | null = null
    let state: OccurrenceState = 'open'
    return days.map((today, index) => {
      if (index < known) return undefined
      if (state === 'open' && random() < 0.01) state = ended[below(ended.length)] as OccurrenceState
      else if (state === 'left' && random() < 0.03) {
        state = 'open'
        extended_until = addDays(today, 30)
      } else if (state === 'open' && random() < 0.008) {
        const due = extended_until ?? due_on
        extended_until = addDays(laterDay(today, due), 1 + below(60))
      }
      return { state, period, due_on, extended_until, mandatory }
    })
  }

  /**
   * Returns the indexes of the days with an expected reminder: the first working day, on or after the planned date,
   * when the job runs, the task is open and the person has an address. A reminder is skipped if the planned date of the
   * next reminder comes first.
   */
  function expectedDays(diary: ReturnType<typeof createDiary>, addressFrom: number): number[] {
    const found: number[] = []
    for (const [index, state] of diary.entries()) {
      const today = days[index] as string
      if (state === undefined || state.state !== 'open' || !isUp[index] || index < addressFrom) continue
      if ([0, 6].includes(new Date(today).getUTCDay())) continue
      const due = state.extended_until ?? state.due_on
      const assigned = monday(state.period)
      const planned = [assigned, monday(due), ...(state.mandatory ? [monday(addDays(due, 7))] : [])]
      for (const before of [14, 3])
        if (monday(addDays(due, -before)) > assigned) planned.push(monday(addDays(due, -before)))
      const current = planned
        .filter((one) => one <= today)
        .sort()
        .at(-1)
      if (current !== undefined && !found.some((earlier) => (days[earlier] as string) >= current)) found.push(index)
    }
    return found
  }

  function monday(day: string): string {
    const weekday = new Date(day).getUTCDay()
    return weekday === 6 ? addDays(day, 2) : weekday === 0 ? addDays(day, 1) : day
  }
})
