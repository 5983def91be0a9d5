/** What a token may be limited to, beside the rights of its owner; in the order in which they are listed. */
export const SCOPES = ['read', 'learn', 'content', 'admin'] as const

export type Scope = (typeof SCOPES)[number]

/** What a token needs: a scope; `all` of them; nothing (`any`); or something that no token has (`none`). */
export type Need = Scope | 'all' | 'any' | 'none'

interface Rule {
  /** The beginning of a route's pattern, whole segments. */
  path: string
  reading: Need
  writing: Need
}

const rule = (path: string, reading: Need, writing = reading): Rule => ({ path, reading, writing })

/**
 * The one place that says what a token needs for which route; the longest path decides. A route below `/api` that none
 * fits is refused to tokens with fewer than all scopes, and by `test/routes/route-guard.test.ts`.
 */
const RULES: Rule[] = [
  rule('/api/quiz', 'read', 'learn'),
  rule('/api/decks', 'read', 'learn'),
  rule('/api/cheatsheets', 'read', 'learn'),
  rule('/api/review', 'read', 'learn'),
  rule('/api/search', 'read', 'learn'),
  rule('/api/content', 'content'),
  rule('/api/content/export', 'read'),
  rule('/api/content/media', 'read'),
  rule('/api/admin/import', 'content'),
  rule('/api/admin', 'admin'),
  rule('/api/accounts', 'admin'),
  // What is kept about the owner, and the owner's name: of no scope.
  rule('/api/accounts/me', 'all'),
  // A token could end what its owner has begun elsewhere.
  rule('/api/accounts/me/sessions', 'all', 'none'),
  rule('/api/auth/me', 'any'),
  // Changing the password and creating tokens need a session, which the routes say themselves.
  rule('/api/auth/password', 'any'),
  rule('/api/auth/tokens', 'all', 'any'),
  // How its owner proves who it is: no token may change that.
  rule('/api/auth/confirm', 'none'),
  rule('/api/auth/passkeys', 'all', 'none'),
  rule('/api/auth/oidc', 'all', 'none'),
]

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

/** What a token needs for the route, or for a path that is none; undefined when no rule fits. */
export function needOf(method: string, path: string): Need | undefined {
  const fitting = RULES.filter((one) => path === one.path || path.startsWith(`${one.path}/`))
  const longest = fitting.sort((a, b) => b.path.length - a.path.length)[0]
  return READING.has(method) ? longest?.reading : longest?.writing
}

/** Whether a token of these scopes may use the route. */
export function mayUse(scopes: readonly Scope[], method: string, path: string): boolean {
  const need = needOf(method, path) ?? 'all'
  if (need === 'any') return true
  if (need === 'none') return false
  return need === 'all' ? SCOPES.every((scope) => scopes.includes(scope)) : scopes.includes(need)
}

/** The scopes in their order, each once; all of them when none are given. */
export function parseScopes(given: readonly Scope[] = SCOPES): Scope[] {
  return SCOPES.filter((scope) => given.includes(scope))
}
