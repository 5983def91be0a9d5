import type { Kysely } from 'kysely'
import { listAttemptCredits } from '../../../db/queries/assignments/settle.js'
import { type AttemptSums, sumUpAttempts } from '../../../db/queries/tests/attempts.js'
import type { Database } from '../../../db/types.js'
import { isOver } from '../../domain/tests/deadline.js'
import { endAttempt } from './end-attempt.js'

/** The attempts of a person at a test, summed up. */
export interface Standing {
  /**
   * Attempts that count against the number allowed. While an assignment asks for the test, those before its period do
   * not, and each granted one subtracts one.
   */
  attempts: number
  /** Whether an open occurrence of an assignment asks for the test */
  isAssigned: boolean
  hasPassed: boolean
  /** 0 without an attempt */
  lastNumber: number
  lastEndedAt: Date | null
  openId: number | null
  versions: readonly Pick<AttemptSums, 'rules' | 'ended' | 'has_passed'>[]
}

/** Of a person without attempts */
export const NO_ATTEMPTS: Standing = {
  ...{ attempts: 0, isAssigned: false, hasPassed: false, lastNumber: 0, lastEndedAt: null, openId: null },
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
  for (const { test_id, credit } of await listAttemptCredits(db, userId, of?.testId)) {
    const mine = standings.get(test_id) ?? NO_ATTEMPTS
    standings.set(test_id, { ...mine, attempts: mine.attempts - credit, isAssigned: true })
  }
  return standings
}

/** Returns the standing of a person at a test, as `findStandings`. */
export async function findStanding(db: Kysely<Database>, userId: number, testId: number, now: Date): Promise<Standing> {
  return (await findStandings(db, userId, now, { testId })).get(testId) ?? NO_ATTEMPTS
}

function addUp(versions: readonly AttemptSums[]): Standing {
  const ends = versions.flatMap(({ last_ended_at }) => (last_ended_at === null ? [] : [last_ended_at.getTime()]))
  return {
    attempts: versions.reduce((sum, { attempts }) => sum + attempts, 0),
    isAssigned: false,
    hasPassed: versions.some(({ has_passed }) => has_passed),
    lastNumber: Math.max(...versions.map(({ last_number }) => last_number)),
    lastEndedAt: ends.length === 0 ? null : new Date(Math.max(...ends)),
    openId: versions.find(({ open_id }) => open_id !== null)?.open_id ?? null,
    versions,
  }
}
