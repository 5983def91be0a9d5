import { randomBytes } from 'node:crypto'
import { decodeJwt, type JWTPayload, SignJWT } from 'jose'
import t, { type Test } from 'tap'
import { CLIENT_ID, CLIENT_SECRET, createKey } from '../../support/identity-provider.js'
import { type Browser, startSignIn } from '../../support/sign-in.js'

const service = await startSignIn(t, { OIDC_ADMIN_CLAIM: 'groups', OIDC_ADMIN_VALUE: 'admins' })
const { provider, browser, db } = service
const person = { sub: 'erika', preferred_username: 'erika', name: 'Erika' }

const count = async (table: 'users' | 'sessions') =>
  (await db.selectFrom(table).select(db.fn.countAll<number>().as('rows')).executeTakeFirstOrThrow()).rows

/** Checks that the callback is refused with this error code and reason, and that it creates no user and no session. */
async function refuses(t: Test, attacker: Browser, url: string, code: string, reason: RegExp): Promise<void> {
  const before = [await count('users'), await count('sessions')]
  t.equal(await attacker.visit(url), `/anmelden?fehler=${code}`)
  t.match(service.refusals(), [{ code, reason }])
  t.strictSame([await count('users'), await count('sessions')], before)
  t.notOk([...attacker.cookies.keys()].some((name) => name.includes('session')))
}

t.test('a state that this browser has not started', async (t) => {
  const victim = browser()
  const callback = await victim.goToProvider(person)
  const reason = /state is unknown here/
  await refuses(t, browser(), callback, 'abgelaufen', reason)
  await refuses(t, victim, callback.replace(/state=[^&]+/, 'state=other'), 'abgelaufen', reason)
  await refuses(t, victim, callback.replace(/state=[^&]+&?/, ''), 'abgelaufen', reason)
  const [name = '', value = ''] = [...victim.cookies][0] ?? []
  const forged = browser()
  const [text = '', signature = ''] = decodeURIComponent(value).split('.')
  const changed = JSON.parse(Buffer.from(text, 'base64url').toString())
  changed.challenge.nonce = 'another'
  const cookie = `${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`
  forged.cookies.set(name, encodeURIComponent(cookie))
  await refuses(t, forged, callback, 'abgelaufen', reason)
})

t.test('a sign-in older than ten minutes', async (t) => {
  const late = browser()
  const callback = await late.goToProvider(person)
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  Date.now = () => now() + 10 * 60_000 + 1_000
  await refuses(t, late, callback, 'abgelaufen', /too old/)
})

t.test('refuses a sign-in from an instance whose clock is ahead by more than a minute', async (t) => {
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  for (const [ahead, place] of [
    [30_000, '/'],
    [120_000, '/anmelden?fehler=abgelaufen'],
  ] as const) {
    const early = browser()
    Date.now = () => now() + ahead
    const url = await early.visit('/api/auth/oidc/start')
    Date.now = now
    provider.person = { ...person, sub: 'ahead', preferred_username: 'ahead' }
    t.equal(await early.visit(await provider.follow(url, { cookies: early.ofProvider })), place)
  }
  service.refusals()
})

t.test('a used code, and a code of another browser', async (t) => {
  const erika = browser()
  const callback = await erika.goToProvider({ ...person, sub: 'used', preferred_username: 'used' })
  const remembered = new Map(erika.cookies)
  t.equal(await erika.visit(callback), '/')
  erika.cookies.clear()
  await refuses(t, erika, callback, 'abgelaufen', /state is unknown/)
  for (const [name, value] of remembered) erika.cookies.set(name, value)
  await refuses(t, erika, callback, 'abgelaufen', /the provider says invalid_grant/)
  t.match(provider.grantErrors.at(-1), /consumed/)

  const attacker = browser()
  const own = new URL(await attacker.goToProvider(person))
  const stolen = new URL(await browser().goToProvider(person)).searchParams.get('code') ?? ''
  own.searchParams.set('code', stolen)
  await refuses(t, attacker, own.href, 'abgelaufen', /the provider says invalid_grant/)
  t.match(provider.grantErrors.at(-1), /code_verifier does not match/)
})

t.test('a response in the name of another provider', async (t) => {
  const victim = browser()
  const callback = new URL(await victim.goToProvider(person))
  callback.searchParams.set('iss', 'https://evil.example')
  await refuses(t, victim, callback.href, 'ungueltig', /unexpected "iss" \(issuer\) response parameter/)
  const twice = browser()
  const url = `${await twice.goToProvider(person)}&code=another`
  await refuses(t, twice, url, 'ungueltig', /"code" parameter must be provided only once/)
})

const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset
const none = (claims: JWTPayload) =>
  [...[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')), ''].join('.')

/** Invalid ID tokens, signed with the provider's key unless the name says otherwise */
const TOKENS: [name: string, forge: (claims: JWTPayload) => Promise<string> | string, reason: RegExp][] = [
  ['another nonce', (claims) => provider.key.sign({ ...claims, nonce: 'x' }), /unexpected ID Token "nonce"/],
  ['no nonce', ({ nonce: _, ...claims }) => provider.key.sign(claims), /"nonce" \(nonce\) claim missing/],
  ['expired', (claims) => provider.key.sign({ ...claims, exp: seconds(-61) }), /"exp" .*past/],
  ['not yet valid', (claims) => provider.key.sign({ ...claims, nbf: seconds(3_600) }), /"nbf"/],
  ['no end', ({ exp: _, ...claims }) => provider.key.sign(claims), /"exp" \(expiration time\) claim missing/],
  ['of another service', (claims) => provider.key.sign({ ...claims, aud: 'other' }), /"aud" \(audience\)/],
  ['of several services', (claims) => provider.key.sign({ ...claims, aud: [CLIENT_ID, 'x'] }), /untrusted audiences/],
  ['of another party', (claims) => provider.key.sign({ ...claims, aud: [CLIENT_ID, 'x'], azp: 'x' }), /"azp"/],
  ['of another issuer', (claims) => provider.key.sign({ ...claims, iss: 'https://evil.example' }), /"iss" \(issuer\)/],
  ['of another client', (claims) => provider.key.sign({ ...claims, azp: 'other' }), /"azp"/],
  ['of the future', (claims) => provider.key.sign({ ...claims, iat: seconds(3_600) }), /"iat" is in the future/],
  ['of an empty subject', (claims) => provider.key.sign({ ...claims, sub: '' }), /"sub"|subject is empty/],
  ['of a proof in the far future', (claims) => provider.key.sign({ ...claims, auth_time: 9e12 }), /auth_time/],
  ['of a proof in the future', (claims) => provider.key.sign({ ...claims, auth_time: seconds(3_600) }), /auth_time/],
  ['without a subject', ({ sub: _, ...claims }) => provider.key.sign(claims), /"sub" \(subject\) claim missing/],
  [
    'signed with the secret of the client',
    (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT_SECRET)),
    /unexpected JWT "alg" header/,
  ],
  ['unsigned', none, /unexpected JWT "alg" header/],
  [
    "signed by a key that is not the provider's",
    async (claims) => (await createKey('first')).sign(claims),
    /ERR_JWS_SIGNATURE_VERIFICATION_FAILED/,
  ],
  ['signed by an unknown key', async (claims) => (await createKey('unknown')).sign(claims), /ERR_JWKS_NO_MATCHING_KEY/],
  ['changed after it was signed', async (claims) => change(await provider.key.sign(claims)), /ERR_JWS_SIGNATURE/],
  ['of a subject that is too long', (claims) => provider.key.sign({ ...claims, sub: 'x'.repeat(256) }), /longer than/],
  [
    'of a subject that cannot be stored',
    (claims) => provider.key.sign({ ...claims, sub: 'a\0' }),
    /subject holds what/,
  ],
  ['of a session that cannot be stored', (claims) => provider.key.sign({ ...claims, sid: 'a\0' }), /sid holds what/],
  ['no token', () => 'nonsense', /Invalid JWT/],
]

/** Returns the token with another subject and its old signature. */
function change(token: string): string {
  const [header, , signature] = token.split('.')
  const claims = { ...decodeJwt(token), sub: 'admin' }
  return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
}

for (const [name, forge, reason] of TOKENS) {
  t.test(`refuses an ID token: ${name}`, async (t) => {
    const victim = browser()
    const callback = await victim.goToProvider(person)
    provider.tamper = async (tokens) => ({ ...tokens, id_token: await forge(decodeJwt(tokens.id_token)) })
    await refuses(t, victim, callback, 'ungueltig', reason)
  })
}

t.test('claims of an unexpected type grant no right and cause no error', async (t) => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  for (const [index, groups] of ['[{"toString":null}]', deep, '{"toString":null}', '[null,5,true]'].entries()) {
    const sub = `odd-${index}`
    const erika = browser()
    const callback = await erika.goToProvider({ sub, preferred_username: sub })
    provider.tamper = async (tokens) => {
      const claims = JSON.stringify({ ...decodeJwt(tokens.id_token), preferred_username: sub, name: sub })
      const text = `${claims.slice(0, -1)},"groups":${groups}}`
      return { ...tokens, id_token: await provider.key.signText(text) }
    }
    t.equal(await erika.visit(callback), '/')
    t.equal((await erika.caller().get('/api/auth/me')).body.user.is_admin, false)
  }
})

t.test('a key that the provider replaced under the same id is fetched again', async (t) => {
  const first = browser()
  t.equal(await first.signIn({ ...person, sub: 'rotated', preferred_username: 'rotated' }), '/')
  const old = provider.key
  await provider.start(await createKey(old.kid))
  t.equal(await first.signIn({ ...person, sub: 'rotated' }), '/')
  await provider.start(old)
  t.equal(await first.signIn({ ...person, sub: 'rotated' }), '/')
})

t.test('refuses a provider whose addresses are scripts', async (t) => {
  const other = await startSignIn(t)
  const { issuer } = other.provider
  const metadata = { issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` }
  for (const authorization_endpoint of ['javascript:alert(1)', 'http:', '/auth', undefined, 5]) {
    other.provider.instead = (_request, response) => {
      const body = JSON.stringify({ ...metadata, authorization_endpoint })
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    }
    const place = await other.browser().visit('/api/auth/oidc/start')
    t.equal(place, '/anmelden?fehler=nicht_erreichbar', String(authorization_endpoint))
  }
})

t.test('tolerates clock differences up to a minute', async (t) => {
  for (const change of [{ exp: seconds(-50) }, { nbf: seconds(50) }, { iat: seconds(50) }]) {
    const erika = browser()
    const callback = await erika.goToProvider({ ...person, sub: 'clock', preferred_username: 'clock' })
    provider.tamper = async (tokens) => ({
      ...tokens,
      id_token: await provider.key.sign({ ...decodeJwt(tokens.id_token), ...change }),
    })
    t.equal(await erika.visit(callback), '/', JSON.stringify(change))
  }
})

t.test('refuses userinfo of another person', async (t) => {
  const victim = browser()
  const callback = await victim.goToProvider(person)
  const forUserinfo = JSON.stringify({ sub: 'admin', preferred_username: 'admin' })
  provider.tamper = (tokens) => {
    // The next request is the userinfo request.
    provider.instead = (_request, response) => {
      provider.instead = undefined
      response.writeHead(200, { 'content-type': 'application/json' }).end(forUserinfo)
    }
    return tokens
  }
  // The keys are cached, so no request for keys comes first.
  await refuses(t, victim, callback, 'ungueltig', /unexpected "response" body "sub" property value/)
})

t.test('an error of the provider is logged and leads to an error page', async (t) => {
  const shy = browser()
  t.equal(
    await shy.signIn(person, { deny: true, query: '?weiter=/decks' }),
    '/anmelden?fehler=abgebrochen&weiter=%2Fdecks',
  )
  t.match(service.refusals(), [{ code: 'abgebrochen', reason: /access_denied: End-User aborted/ }])
  for (const [error, code] of [
    ['access_denied', 'abgebrochen'],
    ['server_error', 'anbieter'],
    ['temporarily_unavailable', 'anbieter'],
    ['invalid_scope', 'anbieter'],
    ['%3Cscript%3E', 'anbieter'],
  ] as const) {
    const victim = browser()
    const state = new URL(await victim.goToProvider(person)).searchParams.get('state')
    const query = `error=${error}&state=${state}&iss=${encodeURIComponent(provider.issuer)}&error_description=x%0Ay`
    const reason = new RegExp(`the provider says ${decodeURIComponent(error)}: x\\?y`)
    await refuses(t, victim, `/api/auth/oidc/callback?${query}`, code, reason)
  }
})

t.test('a navigation never starts linking, whatever its origin', async (t) => {
  const member = await service.member()
  for (const headers of [{}, { 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'same-origin' }] as Record<
    string,
    string
  >[]) {
    const response = await member.get('/api/auth/oidc/start?link=true', { headers })
    t.equal(response.headers.location, '/anmelden?fehler=nicht_angemeldet', JSON.stringify(headers))
    t.notOk(response.headers['set-cookie'])
  }
  service.refusals()
})

t.test("confirming requires a login and a request from the service's pages", async (t) => {
  const anonymous = browser()
  const url = '/api/auth/oidc/start?confirm=true'
  t.equal(await anonymous.visit(url), '/anmelden?fehler=nicht_angemeldet')
  const member = await service.member()
  for (const site of ['cross-site', 'same-site']) {
    const response = await member.get(url, { headers: { 'sec-fetch-site': site } })
    t.equal(response.headers.location, '/anmelden?fehler=nicht_angemeldet', site)
  }
  const { token } = (await member.post('/api/auth/tokens', { name: 'x' })).body
  const script = await member.get(url, { headers: { authorization: `Bearer ${token}` } })
  t.equal(script.headers.location, '/anmelden?fehler=nicht_angemeldet', 'a token cannot confirm')
  service.refusals()
})

t.test('a target outside the app leads to the start page', async (t) => {
  for (const target of ['//evil.example', '/%5Cevil.example', '/api/auth/logout']) {
    const erika = browser()
    const query = `?weiter=${encodeURIComponent(target)}`
    t.equal(await erika.signIn({ ...person, sub: 'used' }, { query }), '/', target)
  }
  const erika = browser()
  const query = `?weiter=${encodeURIComponent('/decks/%C3%BCbung?q=a%2Fb&c=//x#ende')}`
  t.equal(await erika.signIn({ ...person, sub: 'used' }, { query }), '/decks/%C3%BCbung?q=a%2Fb&c=//x#ende')
})

t.test('garbage at the callback causes no error', async (t) => {
  for (const query of [
    '',
    '?',
    '?state',
    '?state=&code=',
    '?state=%00',
    `?state=${'x'.repeat(5_000)}`,
    '?code=a&code=b',
  ]) {
    t.equal(await browser().visit(`/api/auth/oidc/callback${query}`), '/anmelden?fehler=abgelaufen', query)
  }
  for (const value of ['x', 'x.y', `${randomBytes(9).toString('base64url')}.x`, '%ZZ', '']) {
    const odd = browser()
    const callback = await odd.goToProvider(person)
    for (const name of [...odd.cookies.keys()]) odd.cookies.set(name, value)
    t.equal(await odd.visit(callback), '/anmelden?fehler=abgelaufen', value)
  }
})

t.test('the log contains no code, token, state or secret', async (t) => {
  const text = service.log.join('')
  t.match(text, '/api/auth/oidc/callback')
  t.notMatch(text, encodeURIComponent(CLIENT_SECRET))
  t.notMatch(text, CLIENT_SECRET)
  t.notMatch(text, /eyJ[\w-]{10,}\.eyJ/, 'a token')
  t.notMatch(text, /[?&](?:code|state)=/)
})
