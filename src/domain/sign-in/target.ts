/** Only to see where a path leads; `.invalid` is nobody's (RFC 2606). */
const ORIGIN = 'http://app.invalid'

/** Cookies remember it, and all of them fill the head of a request. */
const MAX_LENGTH = 500

/**
 * Where to go after a login, as a path below the app's base, such as `/decks/git?karte=4#ende`; `/` for everything that
 * is not plainly such a path. Browsers take a backslash for a slash and drop tabs and newlines, proxies may decode once
 * more: so neither is let through, nor two slashes in a row, whatever is escaped.
 */
export function parseTarget(text: string | undefined): string {
  if (text === undefined || text.length > MAX_LENGTH || !text.startsWith('/')) return '/'
  const decoded = decodeFully(text)
  if (decoded === undefined || /[\p{Cc}\\]/u.test(decoded)) return '/'
  const [path = ''] = decoded.split(/[?#]/, 1)
  if (path.includes('//') || path.split('/').some((segment) => segment === '.' || segment === '..')) return '/'
  if (!URL.canParse(text, ORIGIN)) return '/'
  const { origin, pathname, search, hash } = new URL(text, ORIGIN)
  const isOwn = origin === ORIGIN && !pathname.startsWith('//')
  // The API's answers to a login would be no page, and could begin it anew.
  const target = pathname + search + hash
  if (target.length > MAX_LENGTH) return '/'
  return isOwn && ![path, pathname].some((one) => /^\/api(\/|$)/i.test(one)) ? target : '/'
}

/** With every layer of escapes removed; undefined when there are too many, or one is none. */
function decodeFully(text: string): string | undefined {
  let current = text
  for (let layers = 0; layers < 5; layers++) {
    let next: string
    try {
      next = decodeURIComponent(current)
    } catch {
      return undefined
    }
    if (next === current) return current
    current = next
  }
  return undefined
}

/** The address of the app's page for the path, in the browser: the base has a slash at both ends. */
export function pageAddress(basePath: string, path: string): string {
  return basePath + path.slice(1)
}

/** The page of the login that words the code and goes on to `target` afterwards. */
export function faultAddress(basePath: string, code: string, target: string): string {
  const query = new URLSearchParams({ fehler: code, ...(target !== '/' && { weiter: target }) })
  return pageAddress(basePath, `/anmelden?${query}`)
}
