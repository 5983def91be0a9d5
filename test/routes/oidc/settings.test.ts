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
  const answer = await below.anonymous.get('/api/auth/oidc/start')
  t.match(String(answer.headers['set-cookie']), /; Path=\/training\/api\/auth\/oidc; HttpOnly; SameSite=Lax/)
  t.equal(await guest.visit('/api/auth/oidc/callback?weiter=/x'), '/training/anmelden?fehler=abgelaufen')
})

t.test('limits requests to the provider per address', async (t) => {
  const limited = await startSignIn(t, {}, { config: { rateLimit: 5_000 } })
  const ask = (url: string, remoteAddress: string) => limited.anonymous.get(url, { remoteAddress })
  const isRefused = async (remoteAddress: string) => {
    const { headers } = await ask('/api/auth/oidc/start', remoteAddress)
    return String(headers.location).includes('fehler=zu_viele')
  }
  const refused: boolean[] = []
  for (let count = 0; count < 101; count++) refused.push(await isRefused('198.51.100.7'))
  t.strictSame([...new Set(refused.slice(0, 100)), refused.at(-1)], [false, true])
  t.equal(await isRefused('198.51.100.8'), false, 'another address is not limited')
  t.equal((await ask('/api/auth/methods', '198.51.100.7')).status, 200, 'all other requests succeed')
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const url = '/api/auth/oidc/back-channel-logout'
  const send = () => limited.anonymous.send({ method: 'POST', url, payload: 'logout_token=x', headers })
  const answers: number[] = []
  for (let count = 0; count < 501; count++) answers.push((await send()).status)
  t.strictSame([...new Set(answers.slice(0, 500)), answers.at(-1)], [400, 429])
})
