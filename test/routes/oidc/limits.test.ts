import t from 'tap'
import { type Browser, startSignIn } from '../../support/sign-in.js'

t.setTimeout(120_000)
// Stops the clock: the limits count in windows of ten seconds, and on a busy machine the requests would span several.
const frozen = performance.now()
Object.defineProperty(performance, 'now', { value: () => frozen, configurable: true })
t.teardown(() => {
  Reflect.deleteProperty(performance, 'now')
})

const service = await startSignIn(t, {}, { config: { rateLimit: 50 } })
const { browser, provider } = service
const person = { sub: 'erika', preferred_username: 'erika' }
const TOO_MANY = '/anmelden?fehler=zu_viele'

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
  t.ok(places[0]?.startsWith(provider.issuer))
  t.equal(places.at(-1), `${TOO_MANY}&weiter=%2Fdecks`, 'an error page with a link')
  t.equal(await colleague.visit(begun), '/')
  service.refusals()
  const garbage = await visitOften(browser(), callback, 100)
  t.equal(garbage[0], '/anmelden?fehler=abgelaufen')
  t.equal(garbage.at(-1), TOO_MANY)
  t.match(service.refusals().at(-1), { code: 'zu_viele' })
})

t.test('the limit of all requests of an address also leads to an error page', async (t) => {
  const places = await visitOften(browser(), '/api/auth/oidc/callback', 301)
  t.equal(places.at(-1), TOO_MANY)
})
