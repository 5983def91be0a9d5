import { sql } from 'kysely'
import t from 'tap'
import { USER_KEYS } from '../../db/errors.js'
import { createDatabaseToSpoil } from '../support/database.js'
import { createCard, createDeck, createUser, PASSWORD } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'
import { publishTest } from '../support/taken-tests.js'

const NOT_LOGGED_IN = errorBody(401, 'Nicht angemeldet')

/** Id of the user that is deleted before the next handler starts, after authentication; undefined for none */
let victim: number | undefined

const service = await startService(t, {
  database: await createDatabaseToSpoil(),
  onRoute: (route) => {
    const { handler } = route
    route.handler = async function (request, reply) {
      if (victim !== undefined) await db.deleteFrom('users').where('id', '=', victim).execute()
      victim = undefined
      return handler.call(this, request, reply)
    }
  },
})
const { db } = service

t.test('a user deleted during a write is logged out, and nothing is stored', async (t) => {
  const deck = await createDeck(db)
  const card = await createCard(db, { deck_id: deck.id })
  const test = await publishTest(db)
  const passwords = { current_password: PASSWORD, new_password: 'neues-passwort' }
  for (const [method, url, payload] of [
    ['POST', '/api/quiz/submit', { total: 2, correct: 1 }],
    ['PUT', '/api/review/settings', { new_per_day: 3 }],
    ['PUT', `/api/review/decks/${deck.slug}`, { active: false }],
    ['POST', '/api/review', { card_id: card.id, rating: 'easy' }],
    ['POST', '/api/review/batch', { reviews: [{ card_id: card.id, rating: 'easy' }] }],
    ['POST', `/api/review/cards/${card.id}/suspend`, undefined],
    ['POST', `/api/review/cards/${card.id}/reset`, undefined],
    ['DELETE', '/api/review/1', undefined],
    ['POST', '/api/auth/tokens', { name: 'x' }],
    ['POST', '/api/auth/password', passwords],
    ['PATCH', '/api/accounts/me', { display_name: 'x' }],
    ['POST', `/api/tests/${test.slug}/attempts`, { client_id: 'gleich-weg' }],
  ] as const) {
    for (const caller of [await service.member(), await service.admin()]) {
      victim = caller.id
      const response = await caller.send({ method, url, ...(payload && { payload }) })
      t.strictSame([response.status, response.body], [401, NOT_LOGGED_IN], `${method} ${url}`)
    }
  }
  const TABLES = [
    'quiz_results',
    'review_settings',
    'review_log',
    'suspended_cards',
    'inactive_decks',
    'chosen_decks',
    'chosen_languages',
    'api_tokens',
    'attempts',
  ] as const
  for (const table of TABLES) {
    t.strictSame(await db.selectFrom(table).selectAll().execute(), [], table)
  }
  t.strictSame(
    await db.selectFrom('audit_log').selectAll().execute(),
    [],
    'no audit entry for an action that did not happen',
  )
})

t.test('a login whose user is deleted before the session starts is refused without a cookie', async (t) => {
  const user = await createUser(db)
  await sql`
    create function delete_user() returns trigger language plpgsql as $$
      begin delete from users where id = new.user_id; return new; end $$`.execute(db)
  await sql`create trigger delete_user before insert on sessions for each row execute function delete_user()`.execute(
    db,
  )
  const response = await service.anonymous.post('/api/auth/login', { username: user.username, password: PASSWORD })
  await sql`drop function delete_user cascade`.execute(db)
  t.strictSame([response.status, response.body], [401, NOT_LOGGED_IN])
  t.equal(response.headers['set-cookie'], undefined)
})

t.test('all foreign keys to users are listed', async (t) => {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint where contype = 'f' and confrelid = 'users'::regclass order by 1`.execute(
    db,
  )
  t.strictSame(new Set(rows.map(({ name }) => name)), USER_KEYS)
})
