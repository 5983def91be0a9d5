import { urlOf } from '../api/client.js'
import { place } from '../platform/router.svelte.js'

/** Returns the address that starts a sign-in through the provider and returns to the open page or the requested one. */
export function providerUrl(purpose: { confirm?: true } = {}): string {
  return urlOf('/api/auth/oidc/start', {}, { ...purpose, weiter: whereToGoOn() }).href
}

function whereToGoOn(): string | undefined {
  const { path, query, hash } = place
  if (path === '/anmelden') return query.get('weiter') ?? undefined
  const search = query.toString()
  const whole = path + (search && `?${search}`) + (hash && `#${encodeURIComponent(hash)}`)
  return whole === '/' ? undefined : whole
}
