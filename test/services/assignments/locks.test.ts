import type { Transaction } from 'kysely'
import t from 'tap'
import { deleteAssignment, restartOccurrences } from '../../../db/queries/assignments/assignments.js'
import { closeOccurrences, missOccurrences } from '../../../db/queries/assignments/plan.js'
import type { Database } from '../../../db/types.js'
import { ASSIGNMENT } from '../../support/assignments.js'
import { startBehindLock, TEST_DATABASE_URL } from '../../support/database.js'
import { createUser } from '../../support/factories.js'
import { startService } from '../../support/service.js'

// The embedded database has a single connection, so no request ever waits for a lock.
const skip = TEST_DATABASE_URL === undefined && 'needs a server'
const { database, db, ...service } = await startService(t)
const admin = await service.admin()

interface Changed {
  assignmentId: number
  /** Ids in descending order */
  ids: number[]
}

const at = new Date('2026-11-30')
const changes: Record<string, (transaction: Transaction<Database>, changed: Changed) => Promise<unknown>> = {
  deletion: (transaction, { assignmentId }) => deleteAssignment(transaction, assignmentId, at),
  renewal: (transaction, { assignmentId }) => restartOccurrences(transaction, assignmentId, { version: 2, at }),
  'plan of missed ones': (transaction, { ids }) =>
    missOccurrences(
      transaction,
      ids.map((id) => ({ id, missed_at: at })),
    ),
  'plan of closed ones': (transaction, { ids }) => closeOccurrences(transaction, ids),
}

const PARTS = [{ kind: 'personal', title: 'Rundgang' }]

async function insertOpen(assignment_id: number, user_id: number): Promise<number> {
  const days = { period: '2026-01-01', due_on: '2026-12-31', counts_from: new Date('2026-01-01') }
  const row = { assignment_id, user_id, ...days, content_version: 1, state: 'open' as const, missed_at: null }
  const { id } = await db.insertInto('occurrences').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

const lock = (transaction: Transaction<Database>, id: number) =>
  transaction.selectFrom('occurrences').select('id').where('id', '=', id).forUpdate().noWait().executeTakeFirst()

for (const [name, change] of Object.entries(changes)) {
  t.test(`a ${name} locks occurrences in the order of their ids, as confirmations do`, { skip }, async (t) => {
    const users = [await createUser(db), await createUser(db)].map(({ id }) => id)
    const audience = { user_ids: users }
    const values = { ...ASSIGNMENT, starts: '2099-01-01', due: '2099-12-31', parts: PARTS, audience }
    const { assignment } = (await admin.post('/api/assignments', values)).body
    // The ids are in the opposite order of the index, which is by person.
    const [first, second] = [
      await insertOpen(assignment.id, users[1] ?? 0),
      await insertOpen(assignment.id, users[0] ?? 0),
    ]
    // Changes an indexed column, so that its row is now stored behind that of the second.
    await db.updateTable('occurrences').set({ state: 'in_progress' }).where('id', '=', first).execute()
    const changed = { assignmentId: assignment.id, ids: [second, first] }
    await startBehindLock(
      database,
      (transaction) => lock(transaction, first),
      [() => db.transaction().execute((transaction) => change(transaction, changed))],
      async (transaction) => t.strictSame(await lock(transaction, second), { id: second }),
    )
  })
}
