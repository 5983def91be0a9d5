export interface RequestParts {
  url: string
  method: string
  mode: string
}

/** First path segments below the scope for which the HTML page is never served */
const NO_PAGES = new Set(['api', 'scim', 'docs', 'assets', 'openapi.json', 'healthz', 'readyz', 'sw.js'])

/**
 * Returns the path of the cached file that the request gets; an empty string for the HTML page, which is sent for
 * navigations to all pages of the app; undefined if the request must go to the network.
 */
export function cachedPathFor(
  { url, method, mode }: RequestParts,
  scope: string,
  files: ReadonlySet<string>,
): string | undefined {
  if (method !== 'GET' || !url.startsWith(scope)) return undefined
  const path = url.slice(scope.length).split(/[?#]/, 1)[0] ?? ''
  if (mode === 'navigate') return NO_PAGES.has(path.split('/', 1)[0] ?? '') || files.has(path) ? undefined : ''
  return files.has(path) ? path : undefined
}

/** Returns whether a request is for a content picture, which never changes and may come from the cache. */
export function isPicture({ url, method }: RequestParts, scope: string): boolean {
  return method === 'GET' && url.startsWith(`${scope}api/content/media/`)
}
