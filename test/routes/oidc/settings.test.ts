import t from 'tap'
import { createUser } from '../../support/factories.js'
import { startSignIn } from '../../support/sign-in.js'

t.test('creates no account if account creation is switched off', async (t) => {
  const closed = await startSignIn(t, { OIDC_CREATE_USERS: false })
  const guest = closed.browser()
  t.equal(await guest.signIn({ sub: 'a', preferred_username: 'a' }), '/anmelden?fehler=nicht_angelegt')
})

t.test('finds accounts by name for a trusted provider', async (t) => {
  const trusting = await startSignIn(t, { OIDC_LINK_BY_USERNAME: true })
  const user = await createUser(trusting.db, { username: 'anna' })
  const anna = trusting.browser()
  t.equal(await anna.signIn({ sub: 'anna-1', preferred_username: 'anna' }), '/')
  t.equal((await anna.caller().get('/api/auth/me')).body.user.id, user.id)
  const successor = trusting.browser()
  t.equal(await successor.signIn({ sub: 'anna-2', preferred_username: 'anna' }), '/anmelden?fehler=name_vergeben')
  t.match(trusting.refusals(), [{ reason: /belongs to another person of this provider/ }], 'a reassigned name')
})

t.test('keeps everything below the base path', async (t) => {
  const publicUrl = 'http://127.0.0.1:3999/training/'
  const below = await startSignIn(t, {}, { config: { publicUrl, basePath: '/training/' } })
  const guest = below.browser()
  t.equal(await guest.signIn({ sub: 'b', preferred_username: 'b' }, { query: '?weiter=/decks' }), '/training/decks')
  const response = await below.anonymous.get('/api/auth/oidc/start')
  t.match(String(response.headers['set-cookie']), /; Path=\/training\/api\/auth\/oidc; HttpOnly; SameSite=Lax/)
  t.equal(await guest.visit('/api/auth/oidc/callback?weiter=/x'), '/training/anmelden?fehler=abgelaufen')
})
