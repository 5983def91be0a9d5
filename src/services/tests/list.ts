import type { Kysely } from 'kysely'
import { type Attempt, listAttempts } from '../../../db/queries/tests/attempts.js'
import { findLiveTest, findTaker, type LiveTest, listLiveTests } from '../../../db/queries/tests/live-tests.js'
import type { Database } from '../../../db/types.js'
import { NOT_LOGGED_IN } from '../../domain/accounts/refusals.js'
import { TEST_NOT_FOUND } from '../../domain/content/refusals.js'
import type { TestDefinition } from '../../domain/tests/definition.js'
import { countDrawn } from '../../domain/tests/draw.js'
import type { Moment } from '../../domain/time/calendar.js'
import { endThoseOver } from './end-attempt.js'
import { mayReview, resultOf, reviewStateOf } from './results.js'
import { stateOf } from './show-attempt.js'

/** A test as learners see it in the list. */
export type ListedTest = ReturnType<typeof describe>

/** Returns the tests that the learner may start, and those with attempts of the learner. */
export async function listTests(db: Kysely<Database>, userId: number, moment: Moment): Promise<ListedTest[]> {
  const tests = await listLiveTests(db)
  const attempts = await endThoseOver(db, await listAttempts(db, userId), moment.at)
  const ofTest = (id: number) => attempts.filter(({ test_id }) => test_id === id)
  return tests
    .map((test) => ({ test, mine: ofTest(test.id) }))
    .filter(({ test, mine }) => test.definition.access === 'open' || mine.length > 0)
    .map(({ test, mine }) => describe(test, mine, moment))
}

/**
 * Returns a test with its introduction and the attempts of the learner.
 * @throws TEST_NOT_FOUND, NOT_LOGGED_IN if the user has been deleted
 */
export async function findTest(db: Kysely<Database>, userId: number, slug: string, moment: Moment) {
  const test = await findLiveTest(db, slug)
  if (test === undefined) throw TEST_NOT_FOUND
  const taker = await findTaker(db, userId, test.id)
  if (taker === undefined) throw NOT_LOGGED_IN
  const attempts = await endThoseOver(db, await listAttempts(db, userId, { testId: test.id }), moment.at)
  return {
    ...describe(test, attempts, moment),
    introduction: test.definition.introduction,
    extra_time_percent: taker.extra_time_percent,
    my_attempts: attempts.map((attempt) => describeAttempt(attempt, attempts, test.definition, moment)),
  }
}

function describe({ slug, definition, open_questions, offered }: LiveTest, mine: readonly Attempt[], moment: Moment) {
  const { attempts } = definition
  return {
    slug,
    name: definition.name,
    description: definition.description,
    question_count: countDrawn(definition.sections, offered),
    pass_percent: definition.pass_percent,
    time_limit_minutes: definition.time_limit_minutes,
    attempts,
    attempts_left: attempts === null ? null : Math.max(0, attempts - mine.length),
    open_attempt_id: mine.find(({ ended_at }) => ended_at === null)?.id ?? null,
    passed: hasPassed(mine, definition, moment),
    access: definition.access,
    opens: definition.opens,
    closes: definition.closes,
    open_questions,
    multiple: definition.multiple,
    review: definition.review,
    review_when: definition.review_when,
    wait_minutes: definition.wait_minutes,
    next_attempt_at: nextAttemptAt(definition, mine, moment.at),
    pages: definition.pages,
  }
}

/** Returns null without a result that may be shown. */
function hasPassed(mine: readonly Attempt[], definition: TestDefinition, { today }: Moment): boolean | null {
  const shown = mine
    .map((attempt) => resultOf(attempt, reviewStateOf(attempt, mine, definition, today)).passed)
    .filter((passed) => passed !== null)
  return shown.length === 0 ? null : shown.includes(true)
}

function describeAttempt(attempt: Attempt, mine: readonly Attempt[], definition: TestDefinition, { today }: Moment) {
  const state = reviewStateOf(attempt, mine, definition, today)
  return {
    id: attempt.id,
    number: attempt.number,
    version: attempt.version,
    started_at: attempt.started_at,
    ended_at: attempt.ended_at,
    state: stateOf(attempt.ended_at),
    ...resultOf(attempt, state),
    review_available: mayReview(attempt, state),
  }
}

/** Returns when the wait after the last attempt ends; null if the learner need not or cannot wait. */
export function nextAttemptAt(
  { wait_minutes, attempts }: Pick<TestDefinition, 'wait_minutes' | 'attempts'>,
  mine: readonly Pick<Attempt, 'ended_at'>[],
  now: Date,
): Date | null {
  if (attempts !== null && mine.length >= attempts) return null
  const last = mine.at(-1)?.ended_at
  if (last === undefined || last === null) return null
  const next = new Date(last.getTime() + wait_minutes * 60_000)
  return next > now ? next : null
}
