import type { Kysely } from 'kysely'
import t from 'tap'
import { deleteAnswersBefore, insertAttempt, lockAttempt } from '../../../db/queries/tests/attempts.js'
import { findSums, lockSums } from '../../../db/queries/tests/statistics.js'
import type { Database } from '../../../db/types.js'
import { commandLineActor } from '../../../src/commands/actor.js'
import { purgeSource } from '../../../src/services/content/sources.js'
import { endAttempt } from '../../../src/services/tests/end-attempt.js'
import { createMigratedDatabase, TEST_DATABASE_URL, waitUntilBlocked } from '../../support/database.js'
import { createSource } from '../../support/editing.js'
import { createUser, unique } from '../../support/factories.js'
import { CARDS, publishTest } from '../../support/taken-tests.js'

// The embedded database has a single connection, so no request ever waits for a lock.
const skip = TEST_DATABASE_URL === undefined && 'needs a server'
const database = await createMigratedDatabase()
t.teardown(database.close)
const { db } = database

async function begin() {
  const source = await createSource(db)
  const test = await publishTest(db, { review_when: 'now' }, { cards: [CARDS.text], sourceId: source })
  const user = await createUser(db)
  const at = { started_at: new Date('2026-01-01'), deadline_at: null }
  const attempt = {
    test_id: test.id,
    version: 1,
    user_id: user.id,
    client_id: unique('client'),
    number: 1,
    counted: true,
  }
  const id = await insertAttempt(db, { ...attempt, ...at }, [{ question_id: test.questions[0]?.id ?? 0, places: [] }])
  return { source, test, id: id ?? 0 }
}

const touchQuestions = (transaction: Kysely<Database>, id: number) =>
  transaction.updateTable('attempt_questions').set({ points: 1 }).where('attempt_id', '=', id).execute()

/** Waits until `work` is held up by a lock; without one, until it ends. */
const heldUp = (work: Promise<unknown>) => Promise.race([work, waitUntilBlocked(database)])

t.test('a purge waits for a submit before it touches the version of the attempt', { skip }, async (t) => {
  const { source, test, id } = await begin()
  let purged: Promise<void> | undefined
  await db.transaction().execute(async (transaction) => {
    await lockAttempt(transaction, id)
    purged = purgeSource(db, commandLineActor(), source)
    await heldUp(purged)
    await lockSums(transaction, test.id, test.version)
  })
  await purged
  t.strictSame(await db.selectFrom('attempts').select('id').where('id', '=', id).execute(), [])
})

t.test('the job passes over an attempt that another transaction has locked', { skip }, async (t) => {
  const { id } = await begin()
  const ended = { ended_at: new Date('2026-01-02'), ended_by: 'person', passed: true, score_percent: 100 } as const
  await db.updateTable('attempts').set(ended).where('id', '=', id).execute()
  const before = { instant: new Date('2026-06-01'), day: '2026-06-01' }
  const run = () => deleteAnswersBefore(db, before, { at: new Date(), userId: undefined, after: undefined, limit: 9 })
  const stateOf = () => db.selectFrom('attempts').select('answers_deleted_at').where('id', '=', id).executeTakeFirst()
  await db.transaction().execute(async (transaction) => {
    await lockAttempt(transaction, id)
    t.match(await run(), [{ id }])
    await touchQuestions(transaction, id)
  })
  t.strictSame(await stateOf(), { answers_deleted_at: null })
  t.match(await run(), [{ id }])
  t.match(await stateOf(), { answers_deleted_at: Date })
})

t.test('a second end of an attempt waits for the first and changes nothing', { skip }, async (t) => {
  const { test, id } = await begin()
  const first = { ended_at: new Date('2026-01-02'), ended_by: 'person', passed: true, score_percent: 100 } as const
  let second: Promise<unknown> | undefined
  await db.transaction().execute(async (transaction) => {
    await lockAttempt(transaction, id)
    second = endAttempt(db, id, new Date('2026-01-03'))
    await heldUp(second)
    await transaction.updateTable('attempts').set(first).where('id', '=', id).execute()
  })
  t.match(await second, first)
  const sums = await findSums(
    db,
    test.questions.map((question) => question.id),
  )
  t.equal(sums.size, 0, 'the person is not counted again')
})
