import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { createUser } from '../support/factories.js'
import fc from '../support/property.js'
import { SEED } from '../support/seed.js'
import { startService } from '../support/service.js'

const WRITERS = 20
const ACCOUNTS = 60
const SECONDS = Number(process.env.SOAK_SECONDS ?? 20)

t.setTimeout((SECONDS + 120) * 1_000)

t.test('a follower misses no change of 20 writers', async (t) => {
  const { database, db, admin: createAdmin } = await startService(t)
  const admin = await createAdmin()
  const ids: number[] = []
  for (let count = 0; count < ACCOUNTS; count++) ids.push((await createUser(db)).id)
  const end = Date.now() + SECONDS * 1_000
  const draws = fc.sample(fc.array(fc.nat(999), { minLength: 4_096, maxLength: 4_096 }), {
    numRuns: WRITERS,
    seed: SEED,
  })
  let changes = 0

  /** Changes, deletes and creates accounts in transactions of different lengths, some of which are rolled back. */
  async function write(draw: readonly number[]): Promise<void> {
    for (let at = 0; Date.now() < end; at++) {
      const next = (salt: number) => draw[(at * 4 + salt) % draw.length] as number
      const chosen = [next(0), next(1)].map((number) => ids[number % ids.length] as number).sort((a, b) => a - b)
      const transaction = await db.startTransaction().execute()
      try {
        for (const id of chosen) {
          await transaction
            .updateTable('users')
            .set({ display_name: `N ${at} ${next(2)} ${next(3)}`, last_seen_on: '2026-11-01' })
            .where('id', '=', id)
            .execute()
          if (!database.embedded) await pause(next(3) % 40)
        }
        if (next(2) % 20 === 0)
          await transaction
            .deleteFrom('users')
            .where('id', '=', chosen[0] as number)
            .execute()
        if (next(3) % 10 === 0) await transaction.rollback().execute()
        else await transaction.commit().execute()
        changes++
      } catch (error) {
        await transaction.rollback().execute()
        throw error
      }
      if (next(2) % 20 === 0) ids.push((await createUser(db)).id)
      // Leaves connections for the follower, whose pages must not be overtaken by new accounts.
      await pause(100 + (next(1) % 200))
    }
  }

  const copy = new Map<number, string>()
  const start = (await admin.get('/api/accounts?limit=1&changed_since=2026-01-01T00:00:00Z')).status
  t.equal(start, 410)
  let since = new Date(Date.now() - 3_600_000).toISOString()
  let runs = 0
  async function follow(limit: number): Promise<void> {
    let query = ''
    for (;;) {
      const { status, body } = await admin.get(`/api/accounts?changed_since=${since}&limit=${limit}${query}`)
      if (status !== 200) throw new Error(JSON.stringify(body))
      for (const { id, deleted, display_name } of body.users) {
        if (deleted) copy.delete(id)
        else copy.set(id, display_name)
      }
      if (body.next_after === null) {
        since = body.next_changed_since
        runs++
        return
      }
      query = `&after=${body.next_after}`
    }
  }
  const writing = Promise.all(draws.map(write))
  let isOver = false
  const watched = writing.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await follow(5 + ((runs * 7) % 50))
  }
  await watched
  await follow(200)
  const { rows } = await sql<{ id: number; display_name: string }>`select id, display_name from users`.execute(db)
  const stored = rows.map(({ id, display_name }) => [id, display_name] as const)
  t.strictSame(
    [...copy].sort(([a], [b]) => a - b),
    stored.sort(([a], [b]) => a - b),
  )
  t.ok(runs > SECONDS / 2, 'the follower kept pace')
  t.comment(`${changes} transactions, ${runs} runs of the follower`)
})
