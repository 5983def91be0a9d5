import { decodeJwt, type JWTPayload, SignJWT } from 'jose'
import t from 'tap'
import { CLIENT_ID, CLIENT_SECRET, createKey } from '../../support/identity-provider.js'
import { errorBody, startService } from '../../support/service.js'
import { startSignIn } from '../../support/sign-in.js'

const service = await startSignIn(t)
const { provider, browser, db } = service
const URL_OF_LOGOUT = '/api/auth/oidc/back-channel-logout'
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }

let tokens = 0
const seconds = (offset = 0) => Math.floor(Date.now() / 1000) + offset
const claimsOf = (more: object = {}): JWTPayload => ({
  iss: provider.issuer,
  aud: CLIENT_ID,
  iat: seconds(),
  exp: seconds(120),
  jti: `token-${++tokens}`,
  events: EVENTS,
  sub: 'erika',
  ...more,
})
const sign = (claims: JWTPayload, header = { typ: 'logout+jwt' }) => provider.key.sign(claims, header)

const send = async (payload: string, type = 'application/x-www-form-urlencoded') => {
  const headers = { 'content-type': type }
  return service.anonymous.send({ method: 'POST', url: URL_OF_LOGOUT, payload, headers })
}
const sendToken = (token: string) => send(new URLSearchParams({ logout_token: token }).toString())

async function logIn(sub = 'erika') {
  const one = browser()
  t.equal(await one.signIn({ sub, preferred_username: sub }), '/')
  return one
}
const isLoggedIn = async (one: Awaited<ReturnType<typeof logIn>>) =>
  (await one.caller().get('/api/auth/me')).status === 200

t.test('the provider ends all sessions of a person and of no other', async (t) => {
  const [first, second, otto] = [await logIn(), await logIn(), await logIn('otto')]
  const response = await sendToken(await sign(claimsOf()))
  t.strictSame([response.status, response.body], [200, { ok: true }])
  t.equal(response.headers['cache-control'], 'no-store')
  t.strictSame([await isLoggedIn(first), await isLoggedIn(second), await isLoggedIn(otto)], [false, false, true])
  const entry = await db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow()
  t.match(entry, { actor_id: null, actor: 'OpenID Connect', via: 'oidc', action: 'user.sessions', target: 'erika' })
})

t.test("ends a session by the provider's session id", async (t) => {
  const erika = browser()
  const callback = await erika.goToProvider({ sub: 'sid', preferred_username: 'sid' })
  provider.tamper = async (tokens) => {
    const claims = { ...decodeJwt(tokens.id_token), sid: 'session-7' }
    return { ...tokens, id_token: await provider.key.sign(claims) }
  }
  t.equal(await erika.visit(callback), '/')
  const { sub: _, ...claims } = claimsOf({ sid: 'session-8' })
  t.equal((await sendToken(await sign(claims))).status, 200)
  t.ok(await isLoggedIn(erika), 'another session')
  const { sub: __, ...own } = claimsOf({ sid: 'session-7' })
  t.equal((await sendToken(await sign(own))).status, 200)
  t.notOk(await isLoggedIn(erika))
})

t.test('accepts the notification of the provider', async (t) => {
  const sent: string[] = []
  const { fetch } = globalThis
  t.teardown(() => {
    globalThis.fetch = fetch
  })
  const erika = await logIn('real')
  // The service does not listen on a port, so this function passes the notification directly to the service.
  globalThis.fetch = async (url, options) => {
    if (!String(url).includes('back-channel-logout')) return fetch(url, options)
    sent.push(String(options?.body))
    const response = await send(String(options?.body))
    return new Response(response.text, { status: response.status })
  }
  await provider.logOut(erika.ofProvider)
  t.equal(sent.length, 1)
  t.notOk(await isLoggedIn(erika))
})

t.test('refuses a token that has been used', async (t) => {
  const token = await sign(claimsOf())
  t.equal((await sendToken(token)).status, 200)
  const erika = await logIn()
  service.refusals()
  const response = await sendToken(token)
  t.strictSame(response.body, errorBody(400, 'Das Abmelde-Token gilt nicht'))
  t.match(service.refusals(), [{ reason: /has been used before/ }])
  t.ok(await isLoggedIn(erika))
  const both = await sign(claimsOf())
  const responses = await Promise.all([sendToken(both), sendToken(both), sendToken(both)])
  t.strictSame(responses.map(({ status }) => status).sort(), [200, 400, 400], 'one of three concurrent uses succeeds')
})

const without = (name: string) => {
  const { [name]: _, ...claims } = claimsOf() as Record<string, unknown>
  return claims as JWTPayload
}

/** Invalid logout tokens with the logged reason of the refusal */
const TOKENS: [name: string, make: () => Promise<string> | string, reason: RegExp][] = [
  ['with a nonce, as an ID token', () => sign(claimsOf({ nonce: 'x' })), /must not have a nonce/],
  ['without events', () => sign(without('events')), /missing required "events" claim/],
  ['of another event', () => sign(claimsOf({ events: { other: {} } })), /has not the event of a logout/],
  ['with events that are none', () => sign(claimsOf({ events: 'x' })), /has not the event of a logout/],
  [
    'with null for the event',
    () => sign(claimsOf({ events: { [Object.keys(EVENTS)[0] ?? '']: null } })),
    /not the event/,
  ],
  ['without an id', () => sign(without('jti')), /missing required "jti" claim/],
  ['without a subject', () => sign(without('sub')), /neither subject nor session/],
  ['without a time', () => sign(without('iat')), /"iat" claim/],
  ['that has expired', () => sign(claimsOf({ exp: seconds(-61) })), /"exp" claim timestamp check failed/],
  [
    'that is old',
    () => sign(claimsOf({ iat: seconds(-661), exp: seconds(999) })),
    /"iat" claim timestamp check failed/,
  ],
  [
    'of the future',
    () => sign(claimsOf({ iat: seconds(90), exp: seconds(999) })),
    /"iat" claim timestamp check failed/,
  ],
  ['for another service', () => sign(claimsOf({ aud: 'other' })), /unexpected "aud" claim value/],
  ['of another issuer', () => sign(claimsOf({ iss: 'https://evil.example' })), /unexpected "iss" claim value/],
  ['of another type', () => sign(claimsOf(), { typ: 'at+jwt' }), /of another type/],
  ['that cannot be stored', () => sign(claimsOf({ sub: 'a\0' })), /cannot be stored/],
  ['of a session that cannot be stored', () => sign(claimsOf({ sid: 'a\0' })), /cannot be stored/],
  ['signed by another key', async () => (await createKey('first')).sign(claimsOf()), /SIGNATURE_VERIFICATION_FAILED/],
  ['signed by an unknown key', async () => (await createKey('x')).sign(claimsOf()), /JWKS_NO_MATCHING_KEY/],
  [
    'signed with the secret of the client',
    () => new SignJWT(claimsOf()).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT_SECRET)),
    /ERR_JOSE_ALG_NOT_ALLOWED/,
  ],
  ['unsigned', () => `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`, /ERR_JOSE_ALG_NOT_ALLOWED/],
  ['that is malformed', () => 'nonsense', /ERR_JWS_INVALID/],
]

for (const [name, make, reason] of TOKENS) {
  t.test(`a logout token ${name}`, async (t) => {
    const erika = await logIn()
    service.refusals()
    const response = await sendToken(await make())
    t.strictSame(response.body, errorBody(400, 'Das Abmelde-Token gilt nicht'))
    t.match(service.refusals(), [{ code: 'ungueltig', reason }])
    t.ok(await isLoggedIn(erika))
  })
}

t.test('refuses anything but a form with a token', async (t) => {
  for (const [payload, type, status] of [
    ['', 'application/x-www-form-urlencoded', 400],
    ['a=1', 'application/x-www-form-urlencoded', 400],
    ['logout_token=', 'application/x-www-form-urlencoded', 400],
    ['{"logout_token":"x"}', 'application/json', 415],
    ['logout_token=x', 'text/plain', 415],
    [`logout_token=${'x'.repeat(17_000)}`, 'application/x-www-form-urlencoded', 413],
  ] as const) {
    t.equal((await send(payload, type)).status, status, `${type} ${payload.slice(0, 20)}`)
  }
})

t.test("a logout returns the address that ends the provider's session", async (t) => {
  const erika = await logIn()
  const response = await erika.caller().post('/api/auth/oidc/logout')
  t.strictSame(response.body, { ok: true, redirect: `${provider.issuer}/session/end?client_id=${CLIENT_ID}` })
  t.notOk(await isLoggedIn(erika))
  const member = await service.member()
  t.strictSame(
    (await member.post('/api/auth/oidc/logout')).body,
    { ok: true, redirect: null },
    'after a login with a password',
  )
  t.equal((await member.get('/api/auth/me')).status, 401)
  t.strictSame((await service.anonymous.post('/api/auth/oidc/logout')).body, { ok: true, redirect: null })
  const other = await logIn()
  t.strictSame((await other.caller().post('/api/auth/logout')).body, { ok: true }, 'the local logout is unchanged')
})

t.test('refuses notifications without a provider', async (t) => {
  const plain = await startService(t)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await plain.anonymous.send({
    method: 'POST',
    url: URL_OF_LOGOUT,
    payload: 'logout_token=x',
    headers,
  })
  t.strictSame(response.body, errorBody(404, 'Es ist kein Anbieter für die Anmeldung eingerichtet'))
  const start = await plain.anonymous.get('/api/auth/oidc/start')
  t.equal(start.headers.location, '/anmelden?fehler=nicht_eingerichtet')
})
