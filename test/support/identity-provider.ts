import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CompactSign, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import type { Owner } from './process.js'

export const CLIENT_ID = 'svc-training'
export const CLIENT_SECRET = 'a secret & sign that both sides know: 100 %'

// biome-ignore lint/suspicious/noExplicitAny: tests change responses of the provider arbitrarily
type Json = Record<string, any>

interface SigningKey {
  kid: string
  jwk: JWK
  sign(payload: JWTPayload, header?: Json): Promise<string>
  /** Signs any text, even one that is not a valid token payload. */
  signText(text: string): Promise<string>
}

export async function createKey(kid: string): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }
  return {
    kid,
    jwk,
    sign: (payload, header = {}) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(privateKey),
    signText: (text) => new CompactSign(Buffer.from(text)).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey),
  }
}

export type Person = { sub: string } & Json

export interface IdentityProvider {
  issuer: string
  key: SigningKey
  /** Person, with claims, who logs in next */
  person: Person
  /** Changes the next successful response of the token endpoint */
  tamper: ((tokens: Json) => Json | Promise<Json>) | undefined
  /** Replaces the provider's response to every request while set */
  instead: RequestListener | undefined
  /** Reasons for the refusals of the token endpoint */
  grantErrors: string[]
  /** Number of requests to the provider by path */
  requests: Map<string, number>
  stop(): Promise<void>
  start(key?: SigningKey): Promise<void>
  /** Logs out at the provider, which sends logout notifications to the service. */
  logOut(cookies: Map<string, string>): Promise<void>
  /**
   * Follows redirects through the provider's pages like a browser, and updates `cookies`. Returns the first address
   * outside the provider. With `deny`, refuses the login.
   */
  follow(url: string, options?: { cookies?: Map<string, string>; deny?: boolean }): Promise<string>
}

/**
 * Starts a certified OpenID Connect provider on the loopback address. Its login page accepts every visitor as `person`.
 * @param redirectUri callback of the service
 * @param metadata further client metadata of the service
 */
export async function startIdentityProvider(
  t: Owner,
  redirectUri: string,
  metadata: Json = {},
): Promise<IdentityProvider> {
  let handle: RequestListener = () => {}
  const server: Server = createServer((request, response) => {
    const path = pathOf(request)
    provider.requests.set(path, (provider.requests.get(path) ?? 0) + 1)
    if (provider.instead === undefined) handle(request, response)
    else provider.instead(request, response)
  })
  // Longer than any pause between two requests on a busy machine, which would otherwise meet a closed connection.
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`

  const configure = (key: SigningKey) => {
    const oidc = new Provider(
      issuer,
      configurationOf(key, redirectUri, metadata, () => provider.person),
    )
    oidc.use(async (context: KoaContextWithOIDC, next) => {
      await next()
      const { tamper } = provider
      if (tamper === undefined || context.path !== '/token' || context.status !== 200) return
      provider.tamper = undefined
      context.body = await tamper(context.body as Json)
    })
    oidc.on('grant.error', (_context, error) => {
      provider.grantErrors.push((error as { error_detail?: string }).error_detail ?? error.message)
    })
    handle = interact(oidc, () => provider.person)
  }

  const provider: IdentityProvider = {
    issuer,
    key: await createKey('first'),
    person: { sub: 'nobody' },
    tamper: undefined,
    instead: undefined,
    grantErrors: [],
    requests: new Map(),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
    start: async (key = provider.key) => {
      provider.key = key
      configure(key)
      if (server.listening) return
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    follow: (url, options = {}) => follow(issuer, url, options),
    logOut: async (cookies) => {
      const headers = { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }
      const page = await fetch(`${issuer}/session/end`, { headers })
      const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(await page.text()) ?? []
      const more = page.headers.getSetCookie().map((set) => set.split(';', 1)[0])
      await fetch(`${issuer}/session/end/confirm`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: [headers.cookie, ...more].join('; ') },
        body: new URLSearchParams({ xsrf, logout: 'yes' }),
      })
    },
  }
  configure(provider.key)
  t.teardown(async () => {
    if (server.listening) await provider.stop()
  })
  return provider
}

function configurationOf(key: SigningKey, redirectUri: string, metadata: Json, person: () => Person): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        ...metadata,
      },
    ],
    jwks: { keys: [key.jwk] },
    cookies: { keys: ['a key of the test'] },
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'groups', 'employee'],
      email: ['email', 'email_verified'],
    },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    // Drops the library's dispatcher, which forbids requests to loopback addresses.
    fetch: (url: string, { dispatcher: _, ...options }: Json) => fetch(url, options),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...person(), sub }) }),
    // Grants consent without a consent page.
    loadExistingGrant: async ({ oidc }) => {
      const known = oidc.session?.grantIdFor(CLIENT_ID)
      if (known !== undefined) return oidc.provider.Grant.find(known)
      const grant = new oidc.provider.Grant({ clientId: CLIENT_ID, accountId: oidc.session?.accountId as string })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  } as Configuration
}

/** Handles requests to the provider. The login page logs the person in without input; `?deny` refuses the login. */
function interact(oidc: Provider, person: () => Person): RequestListener {
  const callback = oidc.callback()
  return (request, response) => {
    if (!pathOf(request).startsWith('/interaction/')) return callback(request, response)
    const result = request.url?.includes('deny')
      ? { error: 'access_denied', error_description: 'End-User aborted interaction' }
      : { login: { accountId: person().sub } }
    oidc.interactionFinished(request, response, result).catch(() => response.writeHead(500).end())
  }
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? ''
}

async function follow(
  issuer: string,
  url: string,
  { cookies = new Map(), deny = false }: { cookies?: Map<string, string>; deny?: boolean },
): Promise<string> {
  let next = url
  for (let steps = 0; steps < 10 && next.startsWith(issuer); steps++) {
    const asked = deny && next.includes('/interaction/') ? `${next}?deny` : next
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(asked, { redirect: 'manual', headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';', 1)[0] ?? '').split(/=(.*)/s)
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null)
      throw new Error(`the provider stops at ${asked}: ${response.status} ${await response.text()}`)
    next = new URL(location, asked).href
  }
  return next
}
