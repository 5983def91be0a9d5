import t from 'tap'
import { stopMonotonicClock } from '../../support/clock.js'
import { type Browser, startSignIn } from '../../support/sign-in.js'

const person = { sub: 'erika', preferred_username: 'erika' }
const TOO_MANY = '/anmelden?fehler=zu_viele'

stopMonotonicClock(t)
const service = await startSignIn(t, {}, { config: { rateLimit: 100 } })
const { anonymous, browser, provider } = service

const visitOften = async (one: Browser, path: string, times: number) => {
  const places: string[] = []
  for (let count = 0; count < times; count++) places.push(await one.visit(path))
  return places
}

t.test('limits started logins per address with an error page, without delaying callbacks', async (t) => {
  const callback = await browser().goToProvider(person)
  const colleague = browser()
  const begun = await colleague.goToProvider(person)
  const places = await visitOften(browser(), '/api/auth/oidc/start?weiter=/decks', 99)
  t.ok(places.slice(0, 98).every((place) => place.startsWith(provider.issuer)))
  t.equal(places.at(-1), `${TOO_MANY}&weiter=%2Fdecks`, 'an error page with a link')
  t.equal(await colleague.visit(begun), '/')
  service.refusals()
  const garbage = await visitOften(browser(), callback, 100)
  t.equal(garbage[0], '/anmelden?fehler=abgelaufen')
  t.equal(garbage.at(-1), TOO_MANY)
  t.match(service.refusals().at(-1), { code: 'zu_viele' })
  const elsewhere = await anonymous.get('/api/auth/oidc/start', { remoteAddress: '198.51.100.8' })
  t.ok(String(elsewhere.headers.location).startsWith(provider.issuer), 'another address is not limited')
  t.equal((await anonymous.get('/api/auth/methods')).status, 200, 'all other requests succeed')
})

t.test('limits back-channel logouts per address', async (t) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const url = '/api/auth/oidc/back-channel-logout'
  const statuses: number[] = []
  for (let count = 0; count < 501; count++) {
    statuses.push((await anonymous.send({ method: 'POST', url, payload: 'logout_token=x', headers })).status)
  }
  t.strictSame([...new Set(statuses.slice(0, 500)), statuses.at(-1)], [400, 429])
})

t.test('the limit of all requests of an address also leads to an error page', async (t) => {
  const limited = await startSignIn(t, {}, { config: { rateLimit: 2 } })
  const places = await visitOften(limited.browser(), '/api/auth/oidc/start', 21)
  t.ok(places[19]?.startsWith(limited.provider.issuer))
  t.equal(places.at(-1), TOO_MANY)
})
