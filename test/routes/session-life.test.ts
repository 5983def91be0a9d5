import { Signer } from '@fastify/cookie'
import t from 'tap'
import { hashSessionId } from '../../plugins/session.js'
import { HOST_SESSION_COOKIE, SESSION_COOKIE } from '../../plugins/session-cookie.js'
import { SECRET } from '../support/constants.js'
import { createMigratedDatabase, lend } from '../support/database.js'
import { createUser, PASSWORD } from '../support/factories.js'
import { callerOf, cookieOf, type Service, type ServiceResponse, startService } from '../support/service.js'

const database = await createMigratedDatabase()
const plain = await startService(t, { database })

const DAY = 24 * 3600 * 1000
const https = await startService(t, {
  database: lend(database),
  config: { publicUrl: 'https://training.example.org/' },
})

const cookiesOf = ({ headers }: ServiceResponse) => [headers['set-cookie'] ?? []].flat().map(String)
const expiryOf = (cookie = '') => Date.parse(/Expires=([^;]+)/.exec(cookie)?.[1] ?? '')

/** Returns whether a moment is `after` milliseconds after now, where now is between `begun` and this call. */
const isAfter = (moment: number, after: number, begun: number) =>
  // A cookie has whole seconds.
  moment > begun + after - 1_000 && moment <= Date.now() + after

/** Sets the age and the remaining lifetime of a user's sessions, in days. */
async function ageSession({ db }: Service, user_id: number, begun: number, expires: number): Promise<void> {
  const created_at = new Date(Date.now() - begun * DAY)
  const expires_at = new Date(Date.now() + expires * DAY)
  await db.updateTable('sessions').set({ created_at, expires_at }).where('user_id', '=', user_id).execute()
}

const readExpiry = async ({ db }: Service, id: number) =>
  (await db.selectFrom('sessions').select('expires_at').where('user_id', '=', id).executeTakeFirstOrThrow()).expires_at

t.test('a session ends thirty days after its login, however often it was renewed', async (t) => {
  const service = plain
  const caller = await service.member()
  const begun = Date.now()
  await ageSession(service, caller.id, 24, 3)
  const renewed = await caller.get('/api/auth/me')
  t.ok(isAfter(expiryOf(cookiesOf(renewed)[0]), 6 * DAY, begun), 'the cookie ends with it')
  t.ok(isAfter((await readExpiry(service, caller.id)).getTime(), 6 * DAY, begun), 'the row expires as well')

  await ageSession(service, caller.id, 29, 1)
  const last = await caller.get('/api/auth/me')
  t.strictSame([last.status, cookiesOf(last)], [200, []], 'in its last days the session is not renewed')

  await ageSession(service, caller.id, 30.01, 5)
  t.equal((await caller.get('/api/auth/me')).status, 401, 'even if its row expires later')
})

t.test('the maximum age may be shorter than a week', async (t) => {
  const service = await startService(t, { database: lend(database), config: { sessionMaxDays: 2 } })
  const { id, username } = await createUser(service.db)
  const begun = Date.now()
  const login = await service.anonymous.post('/api/auth/login', { username, password: PASSWORD })
  t.ok(isAfter(expiryOf(cookiesOf(login)[0]), 2 * DAY, begun))
  const before = await readExpiry(service, id)
  t.ok(isAfter(before.getTime(), 2 * DAY, begun))
  const caller = callerOf(service.app, cookieOf(login))
  t.strictSame(cookiesOf(await caller.get('/api/auth/me')), [])
  t.strictSame(await readExpiry(service, id), before, 'and is not renewed at once')
})

t.test('with https on its own host the cookie has the prefix __Host-', async (t) => {
  const start = (config: object) => startService(t, { database: lend(database), config })
  for (const [service, name] of [
    [https, HOST_SESSION_COOKIE],
    [await start({ publicUrl: 'https://example.org/training/', basePath: '/training/' }), SESSION_COOKIE],
    [await start({ publicUrl: 'http://localhost:3000/' }), SESSION_COOKIE],
    [plain, SESSION_COOKIE],
  ] as const) {
    const { username } = await createUser(service.db)
    const login = await service.anonymous.post('/api/auth/login', { username, password: PASSWORD })
    const [cookie = '', ...others] = cookiesOf(login)
    t.strictSame(others, [])
    t.ok(cookie.startsWith(`${name}=`), name)
    if (name === HOST_SESSION_COOKIE) {
      t.match(cookie, /; Path=\/;/)
      t.match(cookie, /; Secure/)
      t.notMatch(cookie, /domain/i)
    }
    const caller = callerOf(service.app, cookieOf(login))
    t.equal((await caller.get('/api/auth/me')).status, 200)
    t.match(service.app.swagger(), { components: { securitySchemes: { session: { name } } } })
    const out = cookiesOf(await caller.post('/api/auth/logout'))
    t.ok(out.some((one) => one.startsWith(`${name}=;`)))
    t.ok(
      out.some((one) => one.startsWith(`${SESSION_COOKIE}=;`)),
      'the cookie with the old name is deleted as well',
    )
    t.equal((await caller.get('/api/auth/me')).status, 401)
  }
})

t.test('a session created under the prefix is not accepted under the plain name', async (t) => {
  const service = https
  const { username } = await createUser(service.db)
  const login = await service.anonymous.post('/api/auth/login', { username, password: PASSWORD })
  const planted = cookieOf(login)?.replace(HOST_SESSION_COOKIE, SESSION_COOKIE)
  const response = await callerOf(service.app, planted).get('/api/auth/me')
  t.equal(response.status, 401)

  const victim = await service.loginAs((await createUser(service.db)).username)
  const both = await callerOf(service.app, `${victim.cookie}; ${planted}`).get('/api/auth/me')
  t.equal(both.status, 200)
  t.not(both.body.user.username, username, 'it is ignored next to the right one')
})

t.test('a session id has the randomness that the signature covers', async (t) => {
  const service = https
  const member = await service.member()
  const value = decodeURIComponent(member.cookie?.split('=').slice(1).join('=') ?? '')
  const unsigned = new Signer(SECRET).unsign(value)
  t.ok(unsigned.valid)
  t.match(unsigned.value, /^[\w-]{32}$/)
  const row = await service.db
    .selectFrom('sessions')
    .select('user_id')
    .where('id_hash', '=', hashSessionId(unsigned.value ?? ''))
    .executeTakeFirst()
  t.equal(row?.user_id, member.id)
})
