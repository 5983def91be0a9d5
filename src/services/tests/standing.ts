import type { Kysely } from 'kysely'
import { listAttemptCredits } from '../../../db/queries/assignments/settle.js'
import { type AttemptSums, sumUpAttempts } from '../../../db/queries/tests/attempts.js'
import type { LiveTest } from '../../../db/queries/tests/live-tests.js'
import type { Database } from '../../../db/types.js'
import { isOver } from '../../domain/tests/deadline.js'
import type { Clock } from '../../domain/time/calendar.js'
import { planPerson } from '../assignments/plan.js'
import { endAttempt } from './end-attempt.js'

/** Access to time: the clock and the calendar of the service. */
export interface TestClock extends Clock {
  /** IANA name, for instants in messages */
  timeZone: string
}

/** The attempts of a person at a test, summed up. */
export interface Standing {
  /**
   * Attempts that count against the number allowed. While an assignment asks for the test, those before its period do
   * not, and each granted one subtracts one.
   */
  attempts: number
  /** Period of the assignment that asks for the test */
  period: { since: Date; hasPassed: boolean } | null
  /** In any attempt */
  hasPassed: boolean
  /** 0 without an attempt */
  lastNumber: number
  lastEndedAt: Date | null
  openId: number | null
  versions: readonly Pick<AttemptSums, 'rules' | 'ended' | 'has_passed'>[]
}

/** Of a person without attempts */
export const NO_ATTEMPTS: Standing = {
  ...{ attempts: 0, period: null, hasPassed: false, lastNumber: 0, lastEndedAt: null, openId: null },
  versions: [],
}

/**
 * Returns the standings of a person by test, after ending the attempts whose time is over.
 * @param of only at a test
 */
export async function findStandings(
  db: Kysely<Database>,
  userId: number,
  now: Date,
  of?: { testId: number },
): Promise<Map<number, Standing>> {
  const sums = await sumUpAttempts(db, userId, of)
  const over = sums.flatMap(({ open_id, open_until }) => (open_id !== null && isOver(open_until, now) ? [open_id] : []))
  for (const id of over) await endAttempt(db, id, now)
  const current = over.length === 0 ? sums : await sumUpAttempts(db, userId, of)
  const byTest = new Map<number, AttemptSums[]>()
  for (const version of current) byTest.set(version.test_id, [...(byTest.get(version.test_id) ?? []), version])
  const standings = new Map([...byTest].map(([id, versions]) => [id, addUp(versions)]))
  for (const { test_id, credit, since, has_passed } of await listAttemptCredits(db, userId, of?.testId)) {
    const mine = standings.get(test_id) ?? NO_ATTEMPTS
    const period = { since, hasPassed: has_passed }
    standings.set(test_id, { ...mine, attempts: mine.attempts - credit, period })
  }
  return standings
}

/**
 * Returns the standing of a person at a test, and first plans the assignments of a person whose test is open only by one:
 * the daily job may not have run yet.
 */
export async function findPlannedStanding(
  db: Kysely<Database>,
  userId: number,
  { id, definition }: Pick<LiveTest, 'id' | 'definition'>,
  clock: TestClock,
  now: Date,
): Promise<Standing> {
  const mine = await findStanding(db, userId, id, now)
  if (definition.access !== 'assigned' || mine.period !== null || mine.openId !== null) return mine
  await planPerson(db, userId, clock)
  return findStanding(db, userId, id, now)
}

/** Returns the standing of a person at a test, as `findStandings`. */
export async function findStanding(db: Kysely<Database>, userId: number, testId: number, now: Date): Promise<Standing> {
  return (await findStandings(db, userId, now, { testId })).get(testId) ?? NO_ATTEMPTS
}

function addUp(versions: readonly AttemptSums[]): Standing {
  const ends = versions.flatMap(({ last_ended_at }) => (last_ended_at === null ? [] : [last_ended_at.getTime()]))
  return {
    attempts: versions.reduce((sum, { attempts }) => sum + attempts, 0),
    period: null,
    hasPassed: versions.some(({ has_passed }) => has_passed),
    lastNumber: Math.max(...versions.map(({ last_number }) => last_number)),
    lastEndedAt: ends.length === 0 ? null : new Date(Math.max(...ends)),
    openId: versions.find(({ open_id }) => open_id !== null)?.open_id ?? null,
    versions,
  }
}
