import t, { type Test } from 'tap'
import { startSignIn } from '../../support/sign-in.js'

const NAME = 'svc_training_oidc_'
const person = { sub: 'a', preferred_username: 'a' }
const start = (t: Test, publicUrl: string) => startSignIn(t, {}, { config: { publicUrl } })

t.test('with https on its own host, siblings cannot set the cookie', async (t) => {
  const service = await start(t, 'https://training.example.org/')
  const { headers } = await service.anonymous.get('/api/auth/oidc/start')
  const [set = ''] = [headers['set-cookie'] ?? ''].flat().map(String)
  t.match(set, new RegExp(`^__Host-${NAME}[\\w-]{22}=`))
  t.match(set, /; Path=\/;/)
  t.match(set, /; Secure/)
  t.notMatch(set, /Domain/i)

  const erika = service.browser()
  t.equal(await erika.signIn(person, { query: '?weiter=/decks' }), '/decks')
  t.notOk(
    [...erika.cookies.keys()].some((name) => name.includes('oidc')),
    'forgotten',
  )

  const neighbour = service.browser()
  const callback = await neighbour.goToProvider(person)
  const victim = service.browser()
  for (const [name, value] of neighbour.cookies) victim.cookies.set(name.replace('__Host-', ''), value)
  t.equal(await victim.visit(callback), '/anmelden?fehler=abgelaufen', 'the cookie with the plain name is not read')
})

t.test('without https the cookie is limited to the sign-in', async (t) => {
  const service = await start(t, 'http://127.0.0.1:3999/')
  const { headers } = await service.anonymous.get('/api/auth/oidc/start')
  t.match(String(headers['set-cookie']), new RegExp(`^${NAME}.*; Path=/api/auth/oidc;`))
})

t.test('all cookies stay below 4 kB with long targets', async (t) => {
  const service = await start(t, 'https://training.example.org/')
  const tabs = service.browser()
  for (let count = 0; count < 6; count++) await tabs.visit(`/api/auth/oidc/start?weiter=/${'x'.repeat(499)}`)
  const own = [...tabs.cookies].filter(([name]) => name.includes(NAME)).map((pair) => pair.join('='))
  t.ok(own.length >= 3, `${own.length} are kept`)
  t.ok(own.join('; ').length < 4_096, `${own.join('; ').length} bytes`)
  const callback = await tabs.goToProvider(person, '?weiter=/quiz')
  t.equal(await tabs.visit(callback), '/quiz', 'the newest is among them')
})

t.test('cookies of other applications stay unchanged', async (t) => {
  const service = await start(t, 'http://127.0.0.1:3999/')
  const names = ['ä', 'ö', 'ü', 'x y', '', 'link'].map((name) => `${NAME}${name}=x`)
  const cookie = [...names, ...names.map((name) => name.replace('=', 'ß='))].join('; ')
  const { status, headers } = await service.anonymous.get('/api/auth/oidc/start', { headers: { cookie } })
  t.equal(status, 302)
  t.ok(String(headers.location).startsWith(service.provider.issuer))
  t.equal([headers['set-cookie']].flat().length, 1)
})
