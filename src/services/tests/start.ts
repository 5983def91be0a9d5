import { randomBytes, randomInt } from 'node:crypto'
import type { Kysely } from 'kysely'
import { isTestMissing } from '../../../db/errors.js'
import { findAttempt, findAttemptByClientId, insertAttempt, lockStarts } from '../../../db/queries/tests/attempts.js'
import {
  findLiveTest,
  findQuestions,
  findTestTaker,
  type LiveTest,
  listDrawable,
  type TestTaker,
} from '../../../db/queries/tests/live-tests.js'
import type { Database } from '../../../db/types.js'
import { NOT_LOGGED_IN } from '../../domain/accounts/refusals.js'
import { TEST_NOT_FOUND } from '../../domain/content/refusals.js'
import type { FrozenQuestion } from '../../domain/questions/frozen.js'
import type { ShownId } from '../../domain/tests/attempt.js'
import { deadlineOf } from '../../domain/tests/deadline.js'
import { drawPlaces, drawQuestions } from '../../domain/tests/draw.js'
import {
  ASSIGNED_ONLY,
  NO_ATTEMPT_LEFT,
  NO_LONGER_OPEN,
  NOT_OPEN_YET,
  WaitForNext,
} from '../../domain/tests/refusals.js'
import type { Moment } from '../../domain/time/calendar.js'
import type { AssignmentContext } from '../assignments/plan.js'
import { endIfOver } from './current-attempt.js'
import { nextAttemptAt } from './list.js'
import { type ShownAttempt, showAttempt, shownAttempt } from './show-attempt.js'
import { findPlannedStanding, type Standing } from './standing.js'

/** Maximum number of tries if concurrent starts of the same user conflict */
const MAX_TRIES = 5

/**
 * Starts an attempt, or returns the open attempt, which may be in another language. If the client id is known, returns its attempt, even if it has ended.
 * @throws TEST_NOT_FOUND if there is no published test with the slug
 * @throws ASSIGNED_ONLY if the test requires an assignment and the user has no current assignment
 * @throws NOT_OPEN_YET, NO_LONGER_OPEN before the opening day or after the closing day
 * @throws NO_ATTEMPT_LEFT if the attempts are used up, or concurrent starts keep conflicting
 * @throws WaitForNext during the waiting time after the last attempt
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function startAttempt(
  db: Kysely<Database>,
  userId: number,
  { slug, clientId }: { slug: string; clientId: string },
  context: AssignmentContext,
): Promise<ShownAttempt> {
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const attempt = await startOnce(db, userId, { slug, clientId }, context)
      if (attempt !== undefined) return attempt
    }
  } catch (error) {
    throw isTestMissing(error) ? TEST_NOT_FOUND : error
  }
  throw NO_ATTEMPT_LEFT
}

/** Tries to start an attempt once. Returns undefined if a concurrent start of the same user came first. */
async function startOnce(
  db: Kysely<Database>,
  userId: number,
  { slug, clientId }: { slug: string; clientId: string },
  context: AssignmentContext,
): Promise<ShownAttempt | undefined> {
  const now = context.moment()
  const known = await findAttemptByClientId(db, userId, clientId)
  if (known !== undefined) return showAttempt(db, await endIfOver(db, known, now.at), now.at)
  const test = await findLiveTest(db, slug)
  if (test === undefined) throw TEST_NOT_FOUND
  const mine = await findPlannedStanding(db, userId, test, context, now.at)
  const open = mine.openId === null ? undefined : await findAttempt(db, userId, mine.openId)
  if (open !== undefined) return showAttempt(db, open, now.at)
  checkMayStart(test, mine, now, context.timeZone)
  const taker = await findTestTaker(db, userId, test.id)
  if (taker === undefined) throw NOT_LOGGED_IN
  return insert(db, test, { userId, clientId, number: mine.lastNumber + 1, taker }, context, now)
}

function checkMayStart({ definition }: LiveTest, mine: Standing, { at, today }: Moment, timeZone: string): void {
  const { access, attempts, opens, closes } = definition
  if (access === 'assigned' && mine.period === null) throw ASSIGNED_ONLY
  if (opens !== null && today < opens) throw NOT_OPEN_YET
  if (closes !== null && today > closes) throw NO_LONGER_OPEN
  if (attempts !== null && mine.attempts >= attempts) throw NO_ATTEMPT_LEFT
  const next = nextAttemptAt(definition, mine, at)
  if (next !== null) throw new WaitForNext(inGerman(next, timeZone))
}

/** Formats an instant in German. Rounds up to the minute, so that a start at the shown time succeeds. */
function inGerman(instant: Date, timeZone: string): string {
  const minute = new Date(Math.ceil(instant.getTime() / 60_000) * 60_000)
  return new Intl.DateTimeFormat('de-DE', {
    timeZone,
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).format(minute)
}

async function insert(
  db: Kysely<Database>,
  { id: test_id, group_id, slug, lang, version, definition, ...group }: LiveTest,
  { userId, clientId, number, taker }: { userId: number; clientId: string; number: number; taker: TestTaker },
  { moment }: AssignmentContext,
  now: Moment,
): Promise<ShownAttempt | undefined> {
  const drawn = drawQuestions(definition, await listDrawable(db, test_id, version), randomInt)
  const contents = await findQuestions(
    db,
    drawn.map(({ id }) => id),
  )
  const questions = drawn.flatMap(({ id }) => {
    const content = contents.get(id)
    return content === undefined ? [] : [{ question_id: id, content, places: placesOf(content) }]
  })
  const deadline_at = deadlineOf(now.at, definition, taker.extra_time_percent, (at) => moment(at).today)
  const attempt = {
    test_id,
    version,
    user_id: userId,
    client_id: clientId,
    number,
    counted: !taker.is_editor,
    started_at: now.at,
    deadline_at,
  }
  const drawnQuestions = questions.map(({ question_id, places }) => ({ question_id, places }))
  // The unique index allows one open attempt per test, but not one per group.
  const isAlone = group.variants.length === 0 && group_id === test_id
  const id = isAlone
    ? await insertAttempt(db, attempt, drawnQuestions)
    : await db.transaction().execute(async (transaction) => {
        const mayStart = await lockStarts(transaction, { userId, groupId: group_id, number })
        return mayStart ? insertAttempt(transaction, attempt, drawnQuestions) : undefined
      })
  if (id === undefined) return undefined
  const shown = questions.map(({ content, places }, slot) => ({ slot, content, places, seq: 0, answer: null }))
  return shownAttempt({ ...attempt, id, slug, lang, definition, ended_at: null }, shown, now.at)
}

const ID_BYTES = 6

function placesOf(content: FrozenQuestion): ShownId[] {
  const used = new Set<string>()
  const newId = (): string => {
    const id = randomBytes(ID_BYTES).toString('base64url')
    if (used.has(id)) return newId()
    used.add(id)
    return id
  }
  return drawPlaces(content, newId, randomInt)
}
