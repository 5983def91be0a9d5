import { InvalidField } from '../refusal.js'

/** Scopes that limit an API token within the rights of its owner, in display order */
export const SCOPES = ['read', 'learn', 'content', 'admin'] as const

/**
 * Scope of a token for an identity provider. It stands alone in a token, reaches only `/scim` and the deletion of the
 * token, and is not part of `all`.
 */
export const SCIM_SCOPE = 'scim'

/** All scopes that a token may have, in display order */
export const TOKEN_SCOPES = [...SCOPES, SCIM_SCOPE] as const

export type Scope = (typeof TOKEN_SCOPES)[number]

/**
 * Scopes that a token needs: one scope, `all` scopes except `scim`, or no particular scope except `scim` (`any`);
 * `itself` accepts every token, and `none` refuses every token
 */
export type Need = Scope | 'all' | 'any' | 'itself' | 'none'

interface Rule {
  /** Prefix of route patterns; matches whole path segments */
  path: string
  reading: Need
  writing: Need
  /** Applies to POST instead of `writing` */
  creating: Need
}

const rule = (path: string, reading: Need, writing = reading, creating = writing): Rule => ({
  path,
  reading,
  writing,
  creating,
})

/**
 * Scopes per route; the longest matching path wins. Tokens need all scopes for an unlisted route, and
 * test/routes/route-guard.test.ts fails if a route that requires a login is not listed. test/routes/roles.test.ts
 * compares every route with the OpenAPI document, which names these scopes.
 */
const RULES: Rule[] = [
  rule('/api/quiz', 'read', 'learn'),
  rule('/api/decks', 'read', 'learn'),
  rule('/api/cheatsheets', 'read', 'learn'),
  rule('/api/review', 'read', 'learn'),
  rule('/api/search', 'read', 'learn'),
  rule('/api/tests', 'read', 'learn'),
  rule('/api/variants', 'read', 'learn'),
  rule('/api/content', 'content'),
  rule('/api/content/export', 'read'),
  rule('/api/content/media', 'read', 'content'),
  rule('/api/admin/import', 'content'),
  rule('/api/admin', 'admin'),
  rule('/api/setup', 'admin'),
  rule('/api/webhooks', 'admin'),
  rule('/api/accounts', 'admin'),
  rule('/api/teams', 'admin'),
  rule('/api/assignments', 'admin'),
  rule('/api/assignments/mine', 'read'),
  rule('/api/assignments/occurrences/:id/confirm', 'admin', 'learn'),
  // An instructor's confirmation serves as evidence, so instructors must confirm in a session, not with a token.
  rule('/api/assignments/occurrences/confirm-personal', 'none'),
  rule('/api/mail/outbox', 'admin'),
  rule('/api/mail/test', 'admin'),
  rule('/api/mail/mine', 'read'),
  // A stolen token must not redirect the mail of its owner.
  rule('/api/mail/address', 'none'),
  rule('/api/mail/due-cards', 'learn'),
  rule('/api/proofs', 'admin'),
  rule('/api/proofs/mine', 'read'),
  // The handler refuses the certificates of others to a token without the scope `admin`.
  rule('/api/proofs/:code.pdf', 'read'),
  rule('/api/calendar', 'read', 'learn'),
  // A new address would stay valid after the token has expired.
  rule('/api/calendar/token', 'read', 'learn', 'none'),
  // No single scope covers the owner's personal data, so a token needs all scopes.
  rule('/api/accounts/me', 'all'),
  rule('/api/accounts/me/sessions', 'all', 'none'),
  rule('/api/auth/me', 'any'),
  rule('/api/auth/password', 'none'),
  // A token may delete itself, but no other token of its owner; the handler checks this.
  rule('/api/auth/tokens', 'all', 'itself', 'none'),
  // No token may change how its owner signs in.
  rule('/api/auth/confirm', 'none'),
  rule('/api/auth/passkeys', 'all', 'none'),
  rule('/api/auth/oidc', 'all', 'none'),
  rule('/scim', 'scim'),
]

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Returns the scopes that a token needs for a route, or for a path without a route; undefined if no rule applies. */
export function needOf(method: string, path: string): Need | undefined {
  const fitting = RULES.filter((one) => path === one.path || path.startsWith(`${one.path}/`))
  const longest = fitting.sort((a, b) => b.path.length - a.path.length)[0]
  if (READING.has(method)) return longest?.reading
  return method === 'POST' ? longest?.creating : longest?.writing
}

/** Returns whether a token with these scopes meets the need; undefined stands for `all`. */
export function meetsNeed(scopes: readonly Scope[], need: Need = 'all'): boolean {
  if (need === 'none') return false
  if (need === 'itself') return true
  if (scopes.includes(SCIM_SCOPE)) return need === SCIM_SCOPE
  if (need === 'any') return true
  return need === 'all' ? SCOPES.every((scope) => scopes.includes(scope)) : scopes.includes(need)
}

/**
 * Returns the scopes in display order without duplicates; all scopes except `scim` if none are given.
 * @throws InvalidInput if `scim` is given together with another scope
 * @example parseScopes(['learn', 'read', 'learn']) // ['read', 'learn']
 */
export function parseScopes(given: readonly Scope[] = SCOPES): Scope[] {
  const scopes = TOKEN_SCOPES.filter((scope) => given.includes(scope))
  if (scopes.includes(SCIM_SCOPE) && scopes.length > 1) {
    throw new InvalidField('scopes', 'darf neben „scim“ nichts anderes enthalten')
  }
  return scopes
}
