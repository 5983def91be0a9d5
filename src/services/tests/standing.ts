import type { Kysely } from 'kysely'
import { listAttemptCredits } from '../../../db/queries/assignments/completion.js'
import { isTestAssigned } from '../../../db/queries/assignments/plan.js'
import { type AttemptSums, sumUpAttempts } from '../../../db/queries/tests/attempts.js'
import type { LiveTest } from '../../../db/queries/tests/live-tests.js'
import type { Database } from '../../../db/types.js'
import { isOver } from '../../domain/tests/deadline.js'
import { type AssignmentContext, planPerson } from '../assignments/plan.js'
import { endAttempt } from './end-attempt.js'

/** Summary of a person's attempts at a test, in all its languages. */
export interface Standing {
  /**
   * Number of attempts that count towards the limit of the test. If the test is an uncompleted part of a current
   * assignment, only attempts since `period.since` count, and each granted attempt reduces the number by one.
   */
  attempts: number
  /**
   * Time since which attempts count for the current assignment, and whether the test was passed since; null if the test
   * is not an uncompleted part of a current assignment
   */
  period: { since: Date; hasPassed: boolean } | null
  hasPassed: boolean
  /** Number of the last attempt; 0 if there is none */
  lastNumber: number
  lastEndedAt: Date | null
  openId: number | null
  versions: readonly Pick<AttemptSums, 'rules' | 'ended' | 'has_passed'>[]
}

export const NO_ATTEMPTS: Standing = {
  attempts: 0,
  period: null,
  hasPassed: false,
  lastNumber: 0,
  lastEndedAt: null,
  openId: null,
  versions: [],
}

/**
 * Ends the person's attempts whose time is over, and returns a `Standing` for each id of an original. A test without
 * attempts is included only if it is an uncompleted part of a current assignment.
 * @param of original to which the result is limited; undefined for all
 */
export async function findStandings(
  db: Kysely<Database>,
  userId: number,
  now: Date,
  of?: { groupId: number },
): Promise<Map<number, Standing>> {
  const sums = await sumUpAttempts(db, userId, of)
  const over = sums.flatMap(({ open_id, open_until }) => (open_id !== null && isOver(open_until, now) ? [open_id] : []))
  for (const id of over) await endAttempt(db, id, now)
  const current = over.length === 0 ? sums : await sumUpAttempts(db, userId, of)
  const byTest = new Map<number, AttemptSums[]>()
  for (const version of current) byTest.set(version.group_id, [...(byTest.get(version.group_id) ?? []), version])
  const standings = new Map([...byTest].map(([id, versions]) => [id, addUp(versions)]))
  for (const { group_id, credit, since, has_passed } of await listAttemptCredits(db, userId, of?.groupId)) {
    const mine = standings.get(group_id) ?? NO_ATTEMPTS
    const period = { since, hasPassed: has_passed }
    standings.set(group_id, { ...mine, attempts: mine.attempts - credit, period })
  }
  return standings
}

/**
 * Plans the person's assignments if that may allow an attempt at one of the tests: a period that the nightly job has not
 * planned yet opens a test to its assignees, and attempts before it do not count. Returns whether it has planned.
 */
export async function planForTests(
  db: Kysely<Database>,
  userId: number,
  tests: readonly Pick<LiveTest, 'group_id' | 'definition'>[],
  standings: ReadonlyMap<number, Standing>,
  context: AssignmentContext,
): Promise<boolean> {
  const closed = tests.filter(({ group_id, definition: { access, attempts } }) => {
    const mine = standings.get(group_id) ?? NO_ATTEMPTS
    if (mine.openId !== null) return false
    return (access === 'assigned' && mine.period === null) || (attempts !== null && mine.attempts >= attempts)
  })
  if (closed.length === 0) return false
  const ids = closed.map(({ group_id }) => group_id)
  if (!(await isTestAssigned(db, userId, ids))) return false
  await planPerson(db, userId, context)
  return true
}

/** Returns a person's `Standing` at a test. First plans the person's assignments if that may allow an attempt. */
export async function findPlannedStanding(
  db: Kysely<Database>,
  userId: number,
  test: Pick<LiveTest, 'group_id' | 'definition'>,
  context: AssignmentContext,
  now: Date,
): Promise<Standing> {
  const mine = await findStanding(db, userId, test.group_id, now)
  const isPlanned = await planForTests(db, userId, [test], new Map([[test.group_id, mine]]), context)
  return isPlanned ? findStanding(db, userId, test.group_id, now) : mine
}

/**
 * Returns a person's `Standing` at one test, as `findStandings` does.
 * @param groupId id of the original
 */
export async function findStanding(
  db: Kysely<Database>,
  userId: number,
  groupId: number,
  now: Date,
): Promise<Standing> {
  return (await findStandings(db, userId, now, { groupId })).get(groupId) ?? NO_ATTEMPTS
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
