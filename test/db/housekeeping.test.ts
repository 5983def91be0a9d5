import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { purgeExpired } from '../../db/queries/housekeeping.js'
import { createMigratedDatabase } from '../support/database.js'
import { createUser } from '../support/factories.js'

const database = await createMigratedDatabase()
const { db } = database
t.teardown(() => database.close())
const user = await createUser(db)

const at = (hours: number) => new Date(Date.now() + hours * 3_600_000)

async function createRows(hours: number): Promise<void> {
  await db
    .insertInto('sessions')
    .values({ id_hash: randomBytes(32), user_id: user.id, expires_at: at(hours) })
    .execute()
  await db
    .insertInto('api_tokens')
    .values({ user_id: user.id, name: `${hours}`, token_hash: randomBytes(32), expires_at: at(hours) })
    .execute()
  await db
    .insertInto('login_failures')
    .values({ network: `${hours}`, account_hash: randomBytes(32), score: 3, changed_at: at(hours - 24) })
    .execute()
  await db
    .insertInto('spent_logout_tokens')
    .values({ token_hash: randomBytes(32), expires_at: at(hours) })
    .execute()
  await db
    .insertInto('passkey_challenges')
    .values({
      challenge: randomBytes(32),
      purpose: 'login',
      user_id: null,
      user_handle: null,
      network: '',
      expires_at: at(hours),
    })
    .execute()
}

const count = async (
  table: 'sessions' | 'api_tokens' | 'login_failures' | 'spent_logout_tokens' | 'passkey_challenges',
) => (await db.selectFrom(table).select(db.fn.countAll<number>().as('rows')).executeTakeFirstOrThrow()).rows

t.test('deletes exactly the expired rows', async (t) => {
  for (const hours of [-100, -1, 1, 100]) await createRows(hours)
  await db
    .insertInto('api_tokens')
    .values({ user_id: user.id, name: 'forever', token_hash: randomBytes(32) })
    .execute()
  const purged = { sessions: 2, tokens: 2, loginFailures: 2, logoutTokens: 2, challenges: 2, changes: 0 }
  t.strictSame(await purgeExpired(db), purged)
  const none = { sessions: 0, tokens: 0, loginFailures: 0, logoutTokens: 0, challenges: 0, changes: 0 }
  t.strictSame(await purgeExpired(db), none)
  t.strictSame([await count('sessions'), await count('api_tokens'), await count('login_failures')], [2, 3, 2])
  t.strictSame([await count('spent_logout_tokens'), await count('passkey_challenges')], [2, 2])
})

t.test('deletes many rows in batches', async (t) => {
  await sql`
    insert into sessions (id_hash, user_id, expires_at)
    select sha256(n::text::bytea), ${user.id}, now() - interval '1 hour' from generate_series(1, 12000) as n`.execute(
    db,
  )
  t.match(await purgeExpired(db), { sessions: 12_000 })
  t.equal(await count('sessions'), 2)
})

t.test('runs on one instance at a time', async (t) => {
  if (database.embedded) return t.pass('the embedded store has one instance')
  await createRows(-1)
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext('svc-training housekeeping'))`.execute(transaction)
    t.equal(await purgeExpired(db), undefined)
  })
  const rounds = await Promise.all(Array.from({ length: 5 }, () => purgeExpired(db)))
  t.equal(
    rounds.reduce((sum, round) => sum + (round?.sessions ?? 0), 0),
    1,
    'no row is lost or counted twice',
  )
})
