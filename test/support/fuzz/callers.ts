import type { CallerName } from './requests.js'
import { type RawResponse, send } from './send.js'

const PASSWORD = 'nur für Zufallsanfragen'
const TIMEOUT_MS = 120_000

interface Identity {
  id: number
  username: string
  isAdmin: boolean
  session: Record<string, string>
  token: Record<string, string>
}

interface Callers {
  headersOf(caller: CallerName): Record<string, string>
  /** Ids of users that no request may change or delete: the root administrator and the callers. */
  ids(): number[]
  /** Renews the login of each caller whose session or token a request has ended. */
  renew(): Promise<void>
}

/** Creates callers of each kind at a running service that trusts the loopback address as a proxy. */
export async function createCallers(
  origin: string,
  root: { username: string; password: string },
  seed: number,
): Promise<Callers> {
  let logins = 0
  const run = `${seed}-${Date.now().toString(36)}`
  const call = async (method: string, url: string, headers: Record<string, string>, body?: unknown) => {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const type = payload && { 'content-type': 'application/json' }
    return send(origin, { method, url, headers: { ...headers, ...type }, body: payload }, TIMEOUT_MS)
  }
  const logIn = async (login: { username: string; password: string }) => {
    // The address changes with each login, so that the limit of failed logins does not delay these logins.
    const from = { 'x-forwarded-for': `198.51.100.${logins++ % 250}` }
    const response = await call('POST', '/api/auth/login', from, login)
    const cookie = response.headers['set-cookie']?.[0]?.split(';', 1)[0]
    if (cookie === undefined) throw new Error(`login of ${login.username}: ${response.status} ${response.text}`)
    return { cookie, id: JSON.parse(response.text).user.id as number }
  }
  const me = (headers: Record<string, string>) => call('GET', '/api/auth/me', headers)
  const isAlive = async ({ isAdmin, session, token }: Identity) => {
    const responses: RawResponse[] = await Promise.all([me(session), me(token)])
    return responses.every(({ status, text }) => status === 200 && JSON.parse(text).user.is_admin === isAdmin)
  }

  const { cookie, id: rootId } = await logIn(root)
  const enter = async (username: string, isAdmin: boolean): Promise<Identity> => {
    const { id, ...session } = await logIn({ username, password: PASSWORD })
    const { text } = await call('POST', '/api/auth/tokens', session, { name: 'Zufall' })
    return { id, username, isAdmin, session, token: { authorization: `Bearer ${JSON.parse(text).token}` } }
  }
  const create = async (username: string, isAdmin: boolean): Promise<Identity> => {
    const user = { username, display_name: 'Zufall', password: PASSWORD, is_admin: isAdmin }
    const created = await call('POST', '/api/admin/users', { cookie }, user)
    if (created.status !== 200) throw new Error(`new caller: ${created.status} ${created.text}`)
    return enter(username, isAdmin)
  }

  /** Creates a token of the scope `scim` for the administrator that no request changes. */
  const connect = async () => {
    const { cookie } = await logIn(root)
    const { text } = await call('POST', '/api/auth/tokens', { cookie }, { name: 'Entra', scopes: ['scim'] })
    return { authorization: `Bearer ${JSON.parse(text).token}` }
  }

  let learner = await create(`zufall-${run}`, false)
  let admin = await create(`zufall-${run}-admin`, true)
  let scim = await connect()
  return {
    ids: () => [rootId, learner.id, admin.id],
    headersOf: (caller) => {
      if (caller === 'anonymous') return {}
      if (caller === 'scimToken') return scim
      const identity = caller.startsWith('learner') ? learner : admin
      return caller.endsWith('Token') ? identity.token : identity.session
    },
    renew: async () => {
      if (!(await isAlive(learner))) learner = await enter(learner.username, false)
      if (!(await isAlive(admin))) admin = await enter(admin.username, true)
      if ((await call('GET', '/scim/v2/ServiceProviderConfig', scim)).status === 401) scim = await connect()
    },
  }
}
