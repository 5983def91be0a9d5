import { urlOf } from '../api/client.js'
import { place } from '../platform/router.svelte.js'

/** Where a sign-in by the provider begins; it comes back to the page that is open, or that the login was asked for. */
export function providerUrl(purpose: { link?: true; confirm?: true } = {}): string {
  return urlOf('/api/auth/oidc/start', {}, { ...purpose, weiter: whereToGoOn() }).href
}

function whereToGoOn(): string | undefined {
  const { path, query, hash } = place
  if (path === '/anmelden') return query.get('weiter') ?? undefined
  const search = query.toString()
  const whole = path + (search && `?${search}`) + (hash && `#${encodeURIComponent(hash)}`)
  return whole === '/' ? undefined : whole
}
