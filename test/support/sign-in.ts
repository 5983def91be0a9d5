import { Writable } from 'node:stream'
import type { Test } from 'tap'
import { readOidcSettings } from '../../src/domain/sign-in/settings.js'
import { createLogger } from '../../src/logger.js'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type IdentityProvider,
  type Person,
  startIdentityProvider,
} from './identity-provider.js'
import { type Caller, callerOf, type Service, type ServiceResponse, startService } from './service.js'

export const PUBLIC_URL = 'http://127.0.0.1:3999/'
/** Page that asks for confirmation before it links the identity */
export const LINK_PAGE = '/konto?verknuepfen=ja'

type Given = Parameters<typeof readOidcSettings>[0]
type Options = Omit<NonNullable<Parameters<typeof startService>[1]>, 'logger'>

export interface Browser {
  caller(): Caller
  /**
   * Opens an address. Returns the target of the redirect.
   * @throws Error if the response is not a redirect
   */
  visit(url: string): Promise<string>
  /**
   * Logs in as the person; with `deny`, the person refuses the login at the provider. Returns the target of the
   * service's last redirect.
   */
  signIn(person: Person, options?: { query?: string; deny?: boolean }): Promise<string>
  /** Sends a request from a page of the service. */
  post(url: string, payload?: object): Promise<ServiceResponse>
  /** Starts to link the person's identity. Returns the callback address, or the message of a refusal. */
  beginLink(person: Person): Promise<string>
  /** Links the person's identity and confirms the link. Returns `ok`, or the page or message that shows a refusal. */
  link(person: Person): Promise<string>
  /**
   * Starts a login and goes to the provider. Returns the callback address without visiting it, or the page that shows a
   * refusal.
   */
  goToProvider(person: Person, query?: string): Promise<string>
  cookies: Map<string, string>
  ofProvider: Map<string, string>
}

interface SignIn extends Service {
  provider: IdentityProvider
  browser(): Browser
  /** Returns the refusals in the log since the previous call. */
  refusals(): { code: string; reason: string }[]
  log: string[]
}

export function oidcSettings(provider: IdentityProvider, publicUrl: string, given: Partial<Given> = {}) {
  return readOidcSettings(
    {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_SCOPES: 'openid profile email',
      OIDC_USERNAME_CLAIM: 'preferred_username',
      OIDC_NAME_CLAIM: 'name',
      OIDC_ADMIN_CLAIM: undefined,
      OIDC_ADMIN_VALUE: undefined,
      OIDC_AUTHOR_CLAIM: undefined,
      OIDC_AUTHOR_VALUE: undefined,
      OIDC_AUDITOR_CLAIM: undefined,
      OIDC_AUDITOR_VALUE: undefined,
      OIDC_GROUPS_CLAIM: undefined,
      OIDC_PERSONNEL_CLAIM: undefined,
      OIDC_CREATE_USERS: true,
      OIDC_LINK_BY_USERNAME: false,
      OIDC_LABEL: 'Firmenkonto',
      OIDC_RECHECK_DAYS: 0,
      ...given,
    },
    publicUrl,
    (variable, problem) => {
      throw new Error(`${variable}: ${problem}`)
    },
  )
}

/**
 * Starts the service with an OpenID Connect provider.
 * @param metadata further client metadata of the service
 */
export async function startSignIn(
  t: Test,
  given: Partial<Given> = {},
  options: Options = {},
  metadata: object = {},
): Promise<SignIn> {
  const publicUrl = options.config?.publicUrl ?? PUBLIC_URL
  const callback = new URL('api/auth/oidc/callback', publicUrl).href
  const backchannel_logout_uri = new URL('api/auth/oidc/back-channel-logout', publicUrl).href
  const provider = await startIdentityProvider(t, callback, { backchannel_logout_uri, ...metadata })
  const oidc = oidcSettings(provider, publicUrl, given)
  const log: string[] = []
  const lines = new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk))
      done()
    },
  })
  const config = { ...options.config, publicUrl, oidc }
  const service = await startService(t, { ...options, config, logger: createLogger('info', lines) })
  let read = 0
  return {
    ...service,
    provider,
    log,
    browser: () => createBrowser(service, provider, publicUrl),
    refusals: () => {
      const lines = log.slice(read).map((line) => JSON.parse(line))
      read = log.length
      return lines.filter(({ code, reason }) => code && reason).map(({ code, reason }) => ({ code, reason }))
    },
  }
}

function createBrowser({ app }: Service, provider: IdentityProvider, publicUrl: string): Browser {
  const cookies = new Map<string, string>()
  const ofProvider = new Map<string, string>()
  const keep = ({ headers }: ServiceResponse) => {
    for (const set of [headers['set-cookie'] ?? []].flat().map(String)) {
      const [name = '', value = ''] = (set.split(';', 1)[0] ?? '').split(/=(.*)/s)
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
  }
  const browser: Browser = {
    cookies,
    ofProvider,
    caller: () => callerOf(app, [...cookies].map((pair) => pair.join('=')).join('; ')),
    visit: async (url) => {
      const path = url.startsWith(publicUrl) ? `/${url.slice(publicUrl.length)}` : url
      const response = await browser.caller().get(path)
      keep(response)
      if (response.status !== 302) throw new Error(`${path}: ${response.status} ${response.text}`)
      return String(response.headers.location)
    },
    post: async (url, payload) => {
      const headers = { origin: new URL(publicUrl).origin }
      const response = await browser.caller().post(url, payload, { headers })
      keep(response)
      return response
    },
    beginLink: async (person) => {
      provider.person = person
      const { body } = await browser.post('/api/auth/oidc/link')
      ofProvider.clear()
      return body.redirect === undefined ? body.message : provider.follow(body.redirect, { cookies: ofProvider })
    },
    link: async (person) => {
      const callback = await browser.beginLink(person)
      if (!callback.startsWith(publicUrl)) return callback
      const page = await browser.visit(callback)
      if (page !== LINK_PAGE) return page
      const { identity } = (await browser.caller().get('/api/auth/oidc/link')).body
      const { body } = await browser.post('/api/auth/oidc/identities', { subject: identity.subject })
      return body.ok === true ? 'ok' : body.message
    },
    goToProvider: async (person, query = '') => {
      provider.person = person
      const url = await browser.visit(`/api/auth/oidc/start${query}`)
      return url.startsWith(provider.issuer) ? provider.follow(url, { cookies: ofProvider }) : url
    },
    signIn: async (person, { query = '', deny = false } = {}) => {
      provider.person = person
      const url = await browser.visit(`/api/auth/oidc/start${query}`)
      if (!url.startsWith(provider.issuer)) return url
      // Without cookies, the provider asks for a login instead of continuing the session of the previous person.
      ofProvider.clear()
      const back = await provider.follow(url, { cookies: ofProvider, deny })
      return browser.visit(back)
    },
  }
  return browser
}
