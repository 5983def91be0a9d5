import t from 'tap'
import { currentMembershipStart } from '../../../src/domain/assignments/membership-start.js'
import { createPlanner, isOpen, type Occurrence, type PlannedAssignment } from '../../../src/domain/assignments/plan.js'
import type { Recurrence } from '../../../src/domain/assignments/schedule.js'
import { addDays, addMonths, isDay } from '../../../src/domain/time/calendar.js'
import fc from '../../support/property.js'

const ONCE: PlannedAssignment = {
  starts: '2026-12-01',
  due: '2026-12-31',
  recurrence: null,
  created_on: '2026-11-25',
  version: 1,
  renewed_on: null,
  planned_on: null,
}
const yearly: Recurrence = { every_months: 12, opens_days_before: 30 }
const byMarch: Recurrence = { ...yearly, window_end: '03-31' }
const OLD = '2020-01-01'

function occurrence(values: Partial<Occurrence> = {}): Occurrence {
  return {
    id: 1,
    period: '2026-12-01',
    due_on: '2026-12-31',
    extended_until: null,
    state: 'open',
    done_on: null,
    covered_until: null,
    content_version: 1,
    reopened: false,
    ...values,
  }
}
const done = (done_on: string, values: Partial<Occurrence> = {}) => occurrence({ state: 'done', done_on, ...values })

type Case = [
  name: string,
  assignment: Partial<PlannedAssignment>,
  since: string | undefined,
  history: Occurrence[],
  today: string,
  inserted: string[],
  ...missed: string[],
]

/** Cases with their expected rows as `period/due_on`, and the days on which the occurrence with the id 1 is missed */
const CASES: Case[] = [
  ['opens on its first day', {}, OLD, [], '2026-12-01', ['2026-12-01/2026-12-31']],
  ['is not created before that day', {}, OLD, [], '2026-11-30', []],
  ['is created once', {}, OLD, [occurrence()], '2026-12-02', []],
  ['is created although the job did not run on that day', {}, OLD, [], '2027-03-01', ['2026-12-01/2026-12-31']],
  ['gives a joiner 30 days', {}, '2026-12-20', [], '2026-12-20', ['2026-12-01/2027-01-19']],
  ['never shortens the time of a joiner', {}, '2026-12-01', [], '2026-12-01', ['2026-12-01/2026-12-31']],
  [
    'gives a joiner as many days as the others',
    { due: { days_after_start: 7 } },
    '2026-12-20',
    [],
    '2026-12-21',
    ['2026-12-01/2026-12-27'],
  ],
  [
    'starts when the person joins',
    { starts: { joining: true }, due: { days_after_start: 10 } },
    '2027-02-01',
    [],
    '2027-02-03',
    ['2027-02-01/2027-02-11'],
  ],
  [
    'gives a person whose account was disabled since joining the time from today, in the period of the joining',
    { starts: { joining: true }, due: { days_after_start: 10 }, planned_on: '2029-01-29' },
    '2028-01-21',
    [],
    '2029-01-30',
    ['2028-01-21/2029-02-09'],
  ],
  [
    'starts at its creation for persons in the audience',
    { starts: { joining: true }, due: { days_after_start: 10 } },
    OLD,
    [],
    '2026-11-25',
    ['2026-11-25/2026-12-05'],
  ],
  [
    'starts some days after the person has joined, also across 29 February',
    { starts: { days_after_joining: 10 }, due: { days_after_start: 5 } },
    '2028-02-20',
    [],
    '2028-03-01',
    ['2028-03-01/2028-03-06'],
  ],
  [
    'and not before',
    { starts: { days_after_joining: 10 }, due: { days_after_start: 5 } },
    '2028-02-20',
    [],
    '2028-02-29',
    [],
  ],
  [
    'for persons in the audience after its creation',
    { starts: { days_after_joining: 10 }, due: { days_after_start: 5 } },
    OLD,
    [],
    '2026-12-05',
    ['2026-12-05/2026-12-10'],
  ],
  [
    'with at least 30 days if it starts after a fixed due day',
    { starts: { days_after_joining: 10 }, due: '2026-12-31' },
    '2027-02-01',
    [],
    '2027-02-11',
    ['2027-02-11/2027-03-13'],
  ],
  [
    'repeats in fixed windows after that',
    { starts: { days_after_joining: 10 }, due: { days_after_start: 5 }, recurrence: byMarch, planned_on: '2028-02-29' },
    '2027-02-01',
    [done('2027-02-12', { period: '2027-02-11', due_on: '2027-02-16' })],
    '2028-03-01',
    ['2028-03-01/2028-03-31'],
  ],
  ['does not repeat without recurrence', {}, OLD, [done('2026-12-05')], '2030-01-01', []],
  [
    'follows the completion',
    { recurrence: yearly },
    OLD,
    [done('2026-12-05')],
    '2027-11-05',
    ['2027-11-05/2027-12-05'],
  ],
  ['does not open earlier', { recurrence: yearly }, OLD, [done('2026-12-05')], '2027-11-04', []],
  ['does not follow an open one', { recurrence: yearly }, OLD, [occurrence()], '2028-01-01', []],
  [
    'cuts off 31 days to 30',
    { recurrence: { every_months: 6, opens_days_before: 0 } },
    OLD,
    [done('2027-03-31')],
    '2027-09-30',
    ['2027-09-30/2027-09-30'],
  ],
  [
    'cuts off 29 February',
    { recurrence: { ...yearly, opens_days_before: 0 } },
    OLD,
    [done('2028-02-29')],
    '2029-02-28',
    ['2029-02-28/2029-02-28'],
  ],
  [
    'follows an external proof by its end',
    { recurrence: yearly },
    OLD,
    [occurrence({ state: 'recognised', done_on: '2026-12-05', covered_until: '2028-06-30' })],
    '2028-05-31',
    ['2028-05-31/2028-06-30'],
  ],
  [
    'follows an exemption by its due day',
    { recurrence: yearly },
    OLD,
    [occurrence({ state: 'exempt', done_on: '2026-12-05' })],
    '2027-12-01',
    ['2027-12-01/2027-12-31'],
  ],
  [
    'skips the periods in which an overdue occurrence was open before its exemption',
    { recurrence: yearly },
    OLD,
    [occurrence({ state: 'exempt', done_on: '2029-01-15' })],
    '2029-12-01',
    ['2029-12-01/2029-12-31'],
  ],
  ['opens a fixed window', { recurrence: byMarch }, OLD, [done('2026-12-05')], '2027-03-01', ['2027-03-01/2027-03-31']],
  [
    'ends the time of an unfinished one',
    { recurrence: byMarch },
    OLD,
    [occurrence()],
    '2027-03-01',
    ['2027-03-01/2027-03-31'],
    '2027-03-01',
  ],
  ['but not before', { recurrence: byMarch }, OLD, [occurrence()], '2027-02-28', []],
  [
    'waits for an extended one',
    { recurrence: byMarch, planned_on: '2027-03-14' },
    OLD,
    [occurrence({ extended_until: '2027-03-15' })],
    '2027-03-15',
    [],
  ],
  [
    'opens on the next day',
    { recurrence: byMarch, planned_on: '2027-03-15' },
    OLD,
    [occurrence({ extended_until: '2027-03-15' })],
    '2027-03-16',
    ['2027-03-01/2027-03-31'],
    '2027-03-16',
  ],
  [
    'or with the completion of the extended one',
    { recurrence: byMarch, planned_on: '2027-03-10' },
    OLD,
    [done('2027-03-10', { extended_until: '2027-03-15' })],
    '2027-03-10',
    ['2027-03-01/2027-03-31'],
  ],
  [
    'leaves out a period that an extension covers',
    { recurrence: byMarch, planned_on: '2027-04-15' },
    OLD,
    [occurrence({ extended_until: '2027-04-15' })],
    '2027-04-16',
    [],
  ],
  [
    'and misses the extended one with the period after that',
    { recurrence: byMarch, planned_on: '2028-02-29' },
    OLD,
    [occurrence({ extended_until: '2027-04-15' })],
    '2028-03-01',
    ['2028-03-01/2028-03-31'],
    '2028-03-01',
  ],
  [
    'gives time after an absence that began during an extension',
    { recurrence: byMarch, planned_on: '2027-06-01' },
    OLD,
    [done('2027-03-10', { extended_until: '2027-03-15' })],
    '2027-06-02',
    ['2027-03-01/2027-07-02'],
  ],
  [
    'keeps one that was opened again beside the current one',
    { recurrence: byMarch },
    OLD,
    [occurrence({ extended_until: '2027-03-20', reopened: true }), occurrence({ id: 2, period: '2027-03-01' })],
    '2027-03-20',
    [],
  ],
  [
    'until the end of its time',
    { recurrence: byMarch },
    OLD,
    [
      occurrence({ extended_until: '2027-03-20', reopened: true }),
      occurrence({ id: 2, period: '2027-03-01', due_on: '2027-03-31' }),
    ],
    '2027-03-22',
    [],
    '2027-03-21',
  ],
  [
    'never repeats a missed one',
    { recurrence: byMarch },
    OLD,
    [occurrence({ state: 'missed' }), occurrence({ id: 2, period: '2027-03-01', due_on: '2027-03-31' })],
    '2027-06-01',
    [],
  ],
  [
    'creates all periods that the job has missed',
    { recurrence: byMarch, planned_on: '2027-02-01' },
    OLD,
    [done('2026-12-05')],
    '2028-03-01',
    ['2027-03-01/2027-03-31 until 2028-03-01', '2028-03-01/2028-03-31'],
  ],
  [
    'skips the periods of an absence',
    { recurrence: byMarch, planned_on: '2028-06-01' },
    OLD,
    [done('2026-12-05')],
    '2028-06-02',
    ['2028-03-01/2028-07-02'],
  ],
  [
    'skips the periods before a return',
    { recurrence: byMarch, planned_on: '2028-06-01' },
    '2028-06-02',
    [done('2026-12-05')],
    '2028-06-02',
    ['2028-03-01/2028-07-02'],
  ],
  [
    'lets a joiner shortly before the next window wait for it',
    { recurrence: byMarch, planned_on: '2028-02-19' },
    '2028-02-20',
    [],
    '2028-02-20',
    [],
  ],
  [
    'and start with it',
    { recurrence: byMarch, planned_on: '2028-02-29' },
    '2028-02-20',
    [],
    '2028-03-01',
    ['2028-03-01/2028-03-31'],
  ],
  [
    'skips the periods that an exemption covers',
    { recurrence: byMarch },
    OLD,
    [occurrence({ state: 'exempt', done_on: '2026-12-05', covered_until: '2027-06-30' })],
    '2027-03-01',
    [],
  ],
  [
    'ends on 29 February in leap years',
    { recurrence: { ...byMarch, window_end: '02-29', opens_days_before: 0 }, planned_on: '2027-02-01' },
    OLD,
    [done('2026-12-05')],
    '2028-02-29',
    ['2027-02-28/2027-02-28 until 2028-02-29', '2028-02-29/2028-02-29'],
  ],
  [
    'repeats twice a year',
    { recurrence: { ...byMarch, every_months: 6, opens_days_before: 10 } },
    OLD,
    [done('2026-12-05')],
    '2027-09-20',
    ['2027-03-21/2027-03-31 until 2027-09-20', '2027-09-20/2027-09-30'],
  ],
  [
    'repeats every two years',
    { recurrence: { ...byMarch, every_months: 24 } },
    OLD,
    [done('2026-12-05')],
    '2029-03-01',
    ['2027-03-01/2027-03-31 until 2029-03-01', '2029-03-01/2029-03-31'],
  ],
  [
    'is due again after a renewal',
    { version: 2, renewed_on: '2027-05-10' },
    OLD,
    [done('2026-12-05')],
    '2027-05-10',
    ['2027-05-10/2027-06-09'],
  ],
  [
    'on the next day if the period began on that day',
    { version: 2, renewed_on: '2026-12-01' },
    OLD,
    [done('2026-12-01')],
    '2026-12-01',
    [],
  ],
  [
    'and once',
    { version: 2, renewed_on: '2027-05-10' },
    OLD,
    [done('2026-12-05'), done('2027-05-11', { period: '2027-05-10', content_version: 2 })],
    '2027-05-12',
    [],
  ],
  ['creates nothing outside the audience', {}, undefined, [], '2026-12-01', []],
]

t.test('inserts exactly the missing periods', async (t) => {
  for (const [name, assignment, since, history, today, inserted, ...missed] of CASES) {
    const plan = createPlanner({ ...ONCE, ...assignment }, today)(since, history)
    t.strictSame(
      plan.insert.map(
        ({ period, due_on, missed_on }) => `${period}/${due_on}${missed_on === null ? '' : ` until ${missed_on}`}`,
      ),
      inserted,
      name,
    )
    t.strictSame([plan.close, plan.reopen], [[], []], name)
    t.strictSame(
      plan.miss,
      missed.map((on) => ({ id: 1, on })),
      name,
    )
  }
})

t.test('closes the open occurrence of a person who leaves, and reopens it on return', async (t) => {
  const open = occurrence({ id: 7, state: 'in_progress' })
  t.strictSame(createPlanner(ONCE, '2026-12-10')(undefined, [done('2026-12-05'), open]), {
    insert: [],
    miss: [],
    close: [7],
    reopen: [],
  })
  const left = occurrence({ id: 7, state: 'left' })
  t.strictSame(
    createPlanner({ ...ONCE, planned_on: '2027-01-31' }, '2027-02-01')('2027-02-01', [left]),
    { insert: [], miss: [], close: [], reopen: [{ id: 7, extended_until: '2027-03-03' }] },
    'reopens the same period with a new due date',
  )
  const fixed = { ...ONCE, recurrence: byMarch, planned_on: '2027-06-01' }
  t.strictSame(
    createPlanner(fixed, '2027-06-02')('2027-06-02', [left]),
    {
      insert: [{ period: '2027-03-01', due_on: '2027-07-02', opens_on: '2027-03-01', missed_on: null }],
      miss: [],
      close: [],
      reopen: [],
    },
    'a period in the past is not inserted',
  )
})

t.test('the current membership starts with the first of consecutive spans', async (t) => {
  const span = (from_on: string, until_on: string | null = null) => ({ from_on, until_on })
  const today = '2027-01-10'
  t.equal(currentMembershipStart([], today), undefined)
  t.equal(currentMembershipStart([span('2026-01-01')], today), '2026-01-01')
  t.equal(currentMembershipStart([span('2026-01-01', today)], today), undefined, 'the last day does not count')
  t.equal(
    currentMembershipStart([span('2026-05-01'), span('2026-01-01', '2026-05-01')], today),
    '2026-01-01',
    'a change of teams',
  )
  t.equal(currentMembershipStart([span('2026-05-02'), span('2026-01-01', '2026-05-01')], today), '2026-05-02', 'a gap')
  t.equal(currentMembershipStart([span('2026-01-01'), span('2026-02-01', '2026-03-01')], today), '2026-01-01')
  t.equal(currentMembershipStart([span('2027-01-11')], today), undefined)
})

const aDay = fc.integer({ min: 0, max: 3_000 }).map((days) => addDays('2026-01-01', days))

t.test('months keep the day or end with the month', async () => {
  fc.assert(
    fc.property(aDay, fc.integer({ min: -60, max: 120 }), (day, months) => {
      const result = addMonths(day, months)
      const distance =
        (Number(result.slice(0, 4)) - Number(day.slice(0, 4))) * 12 +
        Number(result.slice(5, 7)) -
        Number(day.slice(5, 7))
      const isLastOfMonth = addDays(result, 1).endsWith('-01')
      return (
        isDay(result) &&
        distance === months &&
        (result.slice(8) === day.slice(8) || (isLastOfMonth && result.slice(8) < day.slice(8)))
      )
    }),
  )
})

const aRecurrence = fc.oneof(
  fc.constant(null),
  fc.record({ every_months: fc.constantFrom(1, 6, 12, 24), opens_days_before: fc.constantFrom(0, 7, 14) }),
  fc.record({
    every_months: fc.constantFrom(3, 6, 12, 24),
    window_end: fc.constantFrom('01-31', '02-29', '03-31', '12-31'),
    opens_days_before: fc.constantFrom(0, 14, 30),
  }),
)

t.test('planning again adds nothing, and periods never open in the future or after their due day', async (t) => {
  fc.assert(
    fc.property(aRecurrence, aDay, aDay, aDay, (recurrence, since, planned, today) => {
      const assignment = { ...ONCE, recurrence, planned_on: planned <= today ? planned : null }
      if (since > today) return
      const plan = createPlanner(assignment, today)(since, [])
      const history = plan.insert.map(({ period, due_on, missed_on }, id) =>
        occurrence({ id, period, due_on, state: missed_on === null ? 'open' : 'missed' }),
      )
      if (history.filter(isOpen).length > 1) t.fail('two are open')
      for (const { period, due_on } of plan.insert) if (period > today || due_on < period) t.fail(`${period}/${due_on}`)
      const periods = new Set(plan.insert.map(({ period }) => period))
      if (periods.size < plan.insert.length) t.fail('a period twice')
      const again = createPlanner({ ...assignment, planned_on: today }, today)(since, history)
      if (again.insert.length + again.miss.length + again.close.length + again.reopen.length > 0)
        t.fail(JSON.stringify(again))
    }),
  )
  t.pass()
})
