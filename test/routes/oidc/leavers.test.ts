import t from 'tap'
import { makeCalendar } from '../../../src/services/calendar/calendar.js'
import { Authenticator } from '../../support/authenticator.js'
import { createUser, PASSWORD } from '../../support/factories.js'
import { connectProvider, patchOf } from '../../support/scim.js'
import { callerOf, type ServiceResponse } from '../../support/service.js'
import { startSignIn } from '../../support/sign-in.js'

const ORIGIN = 'http://localhost:3999'
const service = await startSignIn(t, { OIDC_RECHECK_DAYS: 7 }, { config: { publicUrl: `${ORIGIN}/` } })
const { anonymous, app, browser, db, provider } = service
const admin = await service.admin()
const scim = await connectProvider(service)

/** Creates a person with all accesses. Returns the outcome of the next request with each of them. */
async function createPerson() {
  const { id, username } = await createUser(db)
  const session = await service.loginAs(username)
  const authenticator = new Authenticator(ORIGIN, 'localhost')
  const options = (await session.post('/api/auth/passkeys/options')).body
  await session.post('/api/auth/passkeys', { name: 'Telefon', credential: authenticator.register(options) })
  const [own, script] = [(await session.post('/api/auth/tokens', { name: 'own' })).body, await createScript()]
  await db.insertInto('identities').values({ user_id: id, issuer: provider.issuer, subject: username }).execute()
  const calendar = `/api/calendar/${await makeCalendar(db, id)}.ics`

  async function createScript() {
    const { body } = await session.post('/api/auth/tokens', { name: 'script' })
    await admin.patch(`/api/accounts/${id}/tokens/${body.id}`, { is_service: true })
    return body
  }
  async function logInByPasskey(): Promise<ServiceResponse> {
    const options = (await anonymous.post('/api/auth/passkeys/login-options')).body
    return anonymous.post('/api/auth/passkeys/login', { credential: authenticator.logIn(options) })
  }

  const next = {
    session: () => session.get('/api/auth/me'),
    password: () => anonymous.post('/api/auth/login', { username, password: PASSWORD }),
    passkey: logInByPasskey,
    token: () => callerOf(app, undefined, own.token).get('/api/decks'),
    'service token': () => callerOf(app, undefined, script.token).get('/api/decks'),
    calendar: () => anonymous.get(calendar),
  }
  return {
    id,
    username,
    outcomes: async () => {
      const outcomes: Record<string, unknown> = {}
      for (const [access, send] of Object.entries(next)) {
        const { status, headers } = await send()
        outcomes[access] = status === 200 ? 'works' : headers['x-error-code']
      }
      return outcomes
    },
  }
}

const ALL_WORK = {
  session: 'works',
  password: 'works',
  passkey: 'works',
  token: 'works',
  'service token': 'works',
  calendar: 'works',
}

t.test('a deactivation by SCIM ends every access with the next request', async (t) => {
  const person = await createPerson()
  t.strictSame(await person.outcomes(), ALL_WORK)
  const setActive = (value: string) =>
    scim.patch(`/scim/v2/Users/${person.id}`, patchOf({ op: 'Replace', path: 'active', value }))
  t.equal((await setActive('False')).status, 200)
  const ended = {
    session: 'not_logged_in',
    token: 'not_logged_in',
    'service token': 'not_logged_in',
    calendar: 'calendar_not_found',
  }
  t.strictSame(await person.outcomes(), {
    ...ended,
    password: 'wrong_login',
    passkey: 'passkey_refused',
  })
  t.equal((await setActive('True')).status, 200)
  t.strictSame(await person.outcomes(), { ...ALL_WORK, ...ended }, 'after the return')
})

t.test('OIDC_RECHECK_DAYS ends them with the first request after the days, except service tokens', async (t) => {
  const person = await createPerson()
  const needed = 'provider_login_needed'
  await db
    .updateTable('identities')
    .set({ confirmed_at: new Date('2020-01-01') })
    .where('user_id', '=', person.id)
    .execute()
  t.strictSame(await person.outcomes(), {
    ...ALL_WORK,
    session: needed,
    password: needed,
    passkey: needed,
    token: needed,
  })
  t.equal(await browser().signIn({ sub: person.username, preferred_username: person.username }), '/')
  t.strictSame(await person.outcomes(), ALL_WORK, 'after the return')
})
