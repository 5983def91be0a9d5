/** What of a request the worker looks at. */
export interface Asked {
  url: string
  method: string
  /** `navigate` when a person follows a link. */
  mode: string
}

/** What belongs to others, by the first part of the path below the scope: there the page never stands in. */
const NO_PAGES = new Set(['api', 'docs', 'assets', 'openapi.json', 'healthz', 'readyz', 'sw.js'])

/**
 * Whether the worker answers from what it has kept: the page, for whatever address of the app; one of its files; or
 * nothing, so that the network answers as if there were no worker.
 */
export function answerFor({ url, method, mode }: Asked, scope: string, files: ReadonlySet<string>): string | undefined {
  if (method !== 'GET' || !url.startsWith(scope)) return undefined
  const path = url.slice(scope.length).split(/[?#]/, 1)[0] ?? ''
  if (mode === 'navigate') return NO_PAGES.has(path.split('/', 1)[0] ?? '') || files.has(path) ? undefined : ''
  return files.has(path) ? path : undefined
}

/** Whether a request is for a picture of the content, which never changes: what the page has kept is as good. */
export function isPicture({ url, method }: Asked, scope: string): boolean {
  return method === 'GET' && url.startsWith(`${scope}api/content/media/`)
}
