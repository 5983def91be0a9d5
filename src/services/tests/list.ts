import type { Kysely } from 'kysely'
import { findShownGroup, rankVariants, type VariantRank } from '../../../db/queries/content/preferred.js'
import { type Attempt, listAttempts } from '../../../db/queries/tests/attempts.js'
import { findLiveTest, findTestTaker, type LiveTest, listLiveTests } from '../../../db/queries/tests/live-tests.js'
import type { Database } from '../../../db/types.js'
import { NOT_LOGGED_IN } from '../../domain/accounts/refusals.js'
import type { Learner } from '../../domain/content/learner.js'
import { TEST_NOT_FOUND } from '../../domain/content/refusals.js'
import { cutPage } from '../../domain/page.js'
import type { TestDefinition } from '../../domain/tests/definition.js'
import { countDrawn } from '../../domain/tests/draw.js'
import { isResultShown } from '../../domain/tests/review.js'
import type { Moment } from '../../domain/time/calendar.js'
import type { AssignmentContext } from '../assignments/plan.js'
import { mayReview, resultOf, reviewStateOf, standingOf } from './results.js'
import { stateOf } from './show-attempt.js'
import { findPlannedStanding, findStandings, NO_ATTEMPTS, planForTests, type Standing } from './standing.js'

export type ListedTest = ReturnType<typeof describe> &
  Pick<LiveTest, 'lang' | 'translation_of'> & { preferred: boolean }

/** Returns the published tests that are open to all or assigned to the learner, or that the learner has attempted. */
export async function listTests(
  db: Kysely<Database>,
  learner: Learner,
  context: AssignmentContext,
): Promise<ListedTest[]> {
  const { userId } = learner
  const moment = context.moment()
  const tests = await listLiveTests(db)
  let standings = await findStandings(db, userId, moment.at)
  if (await planForTests(db, userId, tests, standings, context)) {
    standings = await findStandings(db, userId, moment.at)
  }
  const listed = tests
    .map((test) => ({ test, mine: standings.get(test.group_id) ?? NO_ATTEMPTS }))
    .filter(({ test, mine }) => test.definition.access === 'open' || mine.period !== null || mine.lastNumber > 0)
  const ids = new Set(listed.map(({ test }) => test.id))
  const ranks = (await rankVariants(db, 'test', learner)).filter(({ id }) => ids.has(id))
  const others = findOthers(ranks)
  return listed.map(({ test, mine }) => ({
    ...describe(test, mine, moment),
    lang: test.lang,
    translation_of: test.translation_of,
    preferred: !others.has(test.id),
  }))
}

/** Returns the tests of a group in which another listed variant is preferred. */
function findOthers(ranks: readonly VariantRank[]): Set<number> {
  const best = new Map<number, number>()
  for (const { group_id, place } of ranks) best.set(group_id, Math.min(place, best.get(group_id) ?? place))
  return new Set(ranks.filter(({ group_id, place }) => place !== best.get(group_id)).map(({ id }) => id))
}

export interface AttemptPage {
  /** Number of the last attempt of the previous page; undefined for the first page */
  before: number | undefined
  limit: number
}

/**
 * Returns a test with its introduction and a page of the learner's attempts in all its languages.
 * @throws TEST_NOT_FOUND if there is no published test with the slug
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function findTest(
  db: Kysely<Database>,
  learner: Learner,
  slug: string,
  context: AssignmentContext,
  { before, limit }: AttemptPage,
) {
  const { userId } = learner
  const moment = context.moment()
  const test = await findLiveTest(db, slug)
  if (test === undefined) throw TEST_NOT_FOUND
  const taker = await findTestTaker(db, userId, test.id)
  if (taker === undefined) throw NOT_LOGGED_IN
  const mine = await findPlannedStanding(db, userId, test, context, moment.at)
  const found = await listAttempts(db, { userId, groupId: test.group_id }, { before, limit: limit + 1 })
  const { page, next } = cutPage(found, limit, ({ number }) => number)
  return {
    test: {
      ...describe(test, mine, moment),
      introduction: test.definition.introduction,
      lang: test.lang,
      translation_of: test.translation_of,
      variants: test.variants,
      group: await findGroup(db, test.slug, learner),
      extra_time_percent: taker.extra_time_percent,
      my_attempts: page.map((attempt) => describeAttempt(attempt, mine, test.definition, moment)),
    },
    next_after: next,
    next_before: next,
  }
}

/** Returns the variants of the group by language; empty without variants. */
async function findGroup(db: Kysely<Database>, slug: string, learner: Learner) {
  const group = await findShownGroup(db, 'test', slug, learner)
  return group.map(({ slug, lang }) => ({ slug, lang })).sort((one, other) => (one.lang < other.lang ? -1 : 1))
}

function describe({ slug, definition, open_questions, offered }: LiveTest, mine: Standing, moment: Moment) {
  const { attempts } = definition
  return {
    slug,
    name: definition.name,
    description: definition.description,
    question_count: countDrawn(definition.sections, offered),
    pass_percent: definition.pass_percent,
    time_limit_minutes: definition.time_limit_minutes,
    attempts,
    attempts_left: attempts === null ? null : Math.max(0, attempts - mine.attempts),
    open_attempt_id: mine.openId,
    passed: hasPassed(mine, definition, moment),
    access: definition.access,
    assigned: mine.period !== null,
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

/** Returns whether the learner has passed; null if there is no result that may be shown. */
function hasPassed(mine: Standing, definition: TestDefinition, { today }: Moment): boolean | null {
  const shown = mine.versions.filter(({ rules, ended }) => {
    return ended > 0 && isResultShown(reviewStateOf(rules, mine, definition, today))
  })
  return shown.length === 0 ? null : shown.some(({ has_passed }) => has_passed)
}

function describeAttempt(attempt: Attempt, mine: Standing, definition: TestDefinition, { today }: Moment) {
  const state = reviewStateOf(attempt.definition, standingOf(attempt, mine), definition, today)
  return {
    id: attempt.id,
    slug: attempt.slug,
    lang: attempt.lang,
    number: attempt.number,
    version: attempt.version,
    started_at: attempt.started_at,
    ended_at: attempt.ended_at,
    state: stateOf(attempt.ended_at),
    ...resultOf(attempt, state),
    review_available: mayReview(attempt, state),
  }
}

/**
 * Returns the end of the waiting time after the last ended attempt. Returns null if the waiting time is over, no
 * attempt has ended, an attempt is open, or no further attempt is allowed.
 */
export function nextAttemptAt(
  { wait_minutes, attempts }: Pick<TestDefinition, 'wait_minutes' | 'attempts'>,
  mine: Pick<Standing, 'attempts' | 'openId' | 'lastEndedAt'>,
  now: Date,
): Date | null {
  if (mine.openId !== null || mine.lastEndedAt === null) return null
  if (attempts !== null && mine.attempts >= attempts) return null
  const next = new Date(mine.lastEndedAt.getTime() + wait_minutes * 60_000)
  return next > now ? next : null
}
