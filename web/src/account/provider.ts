import { urlOf } from '../api/client.js'
import { place } from '../platform/router.svelte.js'

/**
 * Returns the URL that starts a login at the identity provider. After the login, the browser returns to the current
 * page or, from the login page, to the page in the query parameter `weiter`.
 */
export function providerUrl(purpose: { confirm?: true } = {}): string {
  return urlOf('/api/auth/oidc/start', {}, { ...purpose, weiter: nextPath() }).href
}

function nextPath(): string | undefined {
  const { path, query, hash } = place
  if (path === '/anmelden') return query.get('weiter') ?? undefined
  const search = query.toString()
  const whole = path + (search && `?${search}`) + (hash && `#${encodeURIComponent(hash)}`)
  return whole === '/' ? undefined : whole
}
