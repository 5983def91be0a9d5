import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import type { OpenDatabase } from '../../db/client.js'
import { migrateToLatest } from '../../db/migrate.js'
import { Authenticator } from '../support/authenticator.js'
import { createDatabase, onServer, openOnServer, TEST_DATABASE_URL, waitUntilBlocked } from '../support/database.js'
import { createUser, unique } from '../support/factories.js'
import { callerOf, errorBody, startService } from '../support/service.js'

if (TEST_DATABASE_URL === undefined) t.plan(0, 'the embedded store has one process')
else await runTests(TEST_DATABASE_URL)

async function runTests(serverUrl: string): Promise<void> {
  const name = unique('test').replace('-', '_')
  const databaseUrl = await createDatabase(serverUrl, name)
  t.teardown(() => onServer(serverUrl, `drop database ${name} with (force)`))
  const open = (prepare = true): Promise<OpenDatabase> => openOnServer(databaseUrl, { poolMax: 4, prepare })

  const contentDir = await mkdtemp(path.join(tmpdir(), 'svc-training-'))
  t.teardown(() => rm(contentDir, { recursive: true }))
  await mkdir(path.join(contentDir, 'decks'))
  await mkdir(path.join(contentDir, 'cheatsheets'))
  const cards = Array.from(
    { length: 2_000 },
    (_, index) => `## Frage ${index}\n<!-- id: karte-${index}; level: l -->\n### Antwort\nAntwort ${index}\n`,
  )
  await writeFile(path.join(contentDir, 'decks', 'eins.md'), `---\nname: Eins\n---\n${cards.join('\n')}`)

  const start = async (database: OpenDatabase) => {
    await migrateToLatest(database.db)
    return startService(t, { database, config: { contentDir, publicUrl: 'http://localhost:3000/' } })
  }
  const [one, two] = await Promise.all([open().then(start), open(false).then(start)])

  t.test('a passkey registration started at one instance is finished at another, once', async (t) => {
    const authenticator = new Authenticator('http://localhost:3000', 'localhost')
    const member = await one.member()
    const elsewhere = callerOf(two.app, member.cookie)
    const options = (await member.post('/api/auth/passkeys/options')).body
    const credential = authenticator.register(options)
    t.equal((await elsewhere.post('/api/auth/passkeys', { name: 'Telefon', credential })).status, 200)

    const asked = (await one.anonymous.post('/api/auth/passkeys/login-options')).body
    const answer = { credential: authenticator.logIn(asked) }
    const responses = await Promise.all(
      [two, one, two, one].map(({ anonymous }) => anonymous.post('/api/auth/passkeys/login', answer)),
    )
    t.strictSame(responses.map(({ status }) => status).sort(), [200, 401, 401, 401])

    // Two responses with the same counter come from a cloned authenticator, so only one may succeed across instances.
    const copies = await Promise.all(
      [one, two].map(async ({ anonymous }) => {
        const challenge = (await anonymous.post('/api/auth/passkeys/login-options')).body
        return { anonymous, credential: authenticator.logIn(challenge, { counter: 9 }) }
      }),
    )
    const used = await Promise.all(
      copies.map(({ anonymous, credential }) => anonymous.post('/api/auth/passkeys/login', { credential })),
    )
    t.strictSame(used.map(({ status }) => status).sort(), [200, 401])
  })

  t.test('a session is valid on all instances until it ends on any', async (t) => {
    const member = await one.member()
    const elsewhere = callerOf(two.app, member.cookie)
    t.equal((await elsewhere.get('/api/auth/me')).body.user.id, member.id)
    await elsewhere.post('/api/auth/logout')
    t.equal((await member.get('/api/auth/me')).status, 401)

    const deleted = await two.member()
    const admin = await one.admin()
    await admin.delete(`/api/admin/users/${deleted.id}`)
    t.equal((await deleted.get('/api/auth/me')).status, 401)
  })

  t.test('one of two concurrent imports runs, and readers do not wait for it', async (t) => {
    const admin = await createUser(one.db, { is_admin: true })
    const [here, there] = [await one.loginAs(admin.username), await two.loginAs(admin.username)]
    let imported: ReturnType<typeof here.post> | undefined
    await one.db.transaction().execute(async (transaction) => {
      await sql`lock table cards in share mode`.execute(transaction)
      imported = here.post('/api/admin/import')
      await waitUntilBlocked(one.database)
      t.strictSame((await there.post('/api/admin/import')).body, errorBody(409, 'Import läuft bereits'))
      for (const caller of [here, there]) t.strictSame((await caller.get('/api/decks')).body.decks, [])
    })
    t.equal((await imported)?.body.stats.cards.created, 2_000)
    for (const caller of [here, there]) {
      t.equal((await caller.get('/api/quiz/generate?count=50')).body.questions.length, 50)
      t.match((await caller.get('/api/decks')).body.decks, [{ slug: 'eins', card_count: 2_000 }])
    }
  })

  t.test('prepares nothing and sends no startup timeout without named statements', async (t) => {
    const database = await open(false)
    t.teardown(() => database.close())
    await migrateToLatest(database.db)
    const { rows } = await sql<{ names: number; limit: string }>`
      select (select count(*) from pg_prepared_statements) as names, current_setting('statement_timeout') as limit
      where ${'a parameter'}::text is not null`.execute(database.db)
    t.strictSame(rows, [{ names: 0, limit: '0' }])
  })
}
