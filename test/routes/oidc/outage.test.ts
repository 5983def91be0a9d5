import type { RequestListener } from 'node:http'
import t from 'tap'
import { createKey } from '../../support/identity-provider.js'
import { startSignIn } from '../../support/sign-in.js'

const person = { sub: 'erika', preferred_username: 'erika' }
const DOWN = '/anmelden?fehler=nicht_erreichbar'

const service = await startSignIn(t)
const { provider, browser } = service

// Must be first, before the service has the metadata of the provider.
t.test('connects to a provider that was down when the service started', async (t) => {
  await provider.stop()
  t.equal(await browser().visit('/api/auth/oidc/start'), DOWN)
  t.match(service.refusals(), [{ code: 'nicht_erreichbar', reason: /^discovery: .*ECONNREFUSED/ }])
  t.match((await service.anonymous.get('/api/auth/methods')).body, { oidc: { label: 'Firmenkonto' } })
  const member = await service.member()
  t.equal((await member.get('/api/auth/me')).status, 200, 'a login with a password works')
  await provider.start()
  t.equal(await browser().signIn(person), '/', 'the login with the provider works again')
  const asked = provider.requests.get('/.well-known/openid-configuration')
  await browser().signIn(person)
  t.equal(provider.requests.get('/.well-known/openid-configuration'), asked, 'known metadata are not requested again')
})

t.test('handles a server that is not a provider', async (t) => {
  const service = await startSignIn(t)
  const { provider, browser } = service
  const listeners: [RequestListener, RegExp][] = [
    [(_, response) => response.writeHead(500).end('x'), /unexpected HTTP response status code/],
    [(_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), /content-type/],
    [(_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'), /parsing error/],
    [flood, /fetch failed: the response is larger than 1048576 bytes/],
    [(_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /status code/],
    [json({ issuer: 'https://evil.example', jwks_uri: 'https://evil.example/jwks' }), /issuer does not match/],
    [json({ issuer: provider.issuer }), /missing or not https/],
    [json({ issuer: provider.issuer, jwks_uri: 'file:///etc/passwd' }), /missing or not https/],
  ]
  for (const [listener, reason] of listeners) {
    provider.instead = listener
    t.equal(await browser().visit('/api/auth/oidc/start'), DOWN, String(reason))
    t.match(service.refusals(), [{ code: 'nicht_erreichbar', reason }])
  }
  provider.instead = undefined
  t.equal(await browser().signIn(person), '/')
})

/** Responds with a JSON object after 64 MB of white space. */
const flood: RequestListener = async (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const piece = Buffer.alloc(2 ** 20, ' ')
  for (let sent = 0; sent < 64 && !response.destroyed; sent++) {
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
  }
  response.end('{}')
}

function json(body: object): RequestListener {
  return (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

t.test('handles a provider that goes down during a sign-in', async (t) => {
  const erika = browser()
  const callback = await erika.goToProvider(person, '?weiter=/decks')
  await provider.stop()
  t.equal(await erika.visit(callback), `${DOWN}&weiter=%2Fdecks`)
  t.match(service.refusals(), [{ code: 'nicht_erreichbar', reason: /^fetch failed/ }])
  await provider.start()

  for (const [status, code, reason] of [
    [500, 'nicht_erreichbar', /unexpected HTTP response status code/],
    [400, 'anbieter', /the provider says invalid_client: \*\*\*/],
    [401, 'anbieter', /the provider says invalid_client/],
  ] as const) {
    const next = browser()
    const url = await next.goToProvider(person)
    const sent = new URL(url).searchParams.get('code')
    provider.instead = (_request, response) => {
      const body =
        status === 500 ? 'no JSON' : JSON.stringify({ error: 'invalid_client', error_description: `${sent}` })
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    }
    t.equal(await next.visit(url), `/anmelden?fehler=${code}`)
    provider.instead = undefined
    t.match(service.refusals(), [{ code, reason }])
    t.notMatch(service.log.join(''), String(sent), 'a code that the provider repeats is not logged')
  }
  t.equal(await browser().signIn(person), '/')
})

t.test('handles new keys between two logins', async (t) => {
  t.equal(await browser().signIn(person), '/')
  const asked = provider.requests.get('/jwks') ?? 0
  t.equal(await browser().signIn(person), '/')
  t.equal(provider.requests.get('/jwks'), asked, 'keys are cached')
  await provider.start(await createKey('second'))
  t.equal(await browser().signIn(person), '/', 'the new key is loaded at once, without a failed login')
  t.equal(provider.requests.get('/jwks'), asked + 1)
})

t.test('gives up on a provider that never responds', async (t) => {
  const service = await startSignIn(t)
  const { provider, browser } = service
  provider.instead = () => {}
  const places = await Promise.all([1, 2, 3].map(() => browser().visit('/api/auth/oidc/start')))
  t.strictSame(places, [DOWN, DOWN, DOWN])
  t.match(service.refusals(), [{ reason: /OAUTH_TIMEOUT/ }, { reason: /OAUTH_TIMEOUT/ }, { reason: /OAUTH_TIMEOUT/ }])
  t.equal(provider.requests.get('/.well-known/openid-configuration'), 1, 'all logins wait for the same response')
})
