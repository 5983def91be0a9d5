/** Base for resolving a path; `.invalid` is reserved (RFC 2606). */
const ORIGIN = 'http://app.invalid'

/** Maximum length of a target; it is stored in a cookie, whose size is limited. */
const MAX_LENGTH = 500

/**
 * Parses the path to open after login, relative to the base path, such as `/decks/git?karte=4#ende`. Returns `/` for
 * anything else, such as a URL of another site, a path of the API or a path of more than 500 characters. Rejects
 * backslashes and control characters anywhere, and double slashes in the path, even if they are encoded several times.
 * Browsers treat a backslash as a slash and drop tabs and newlines, and proxies may decode the path once more.
 * @example parseTarget('//evil.example') // '/'
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
  // Paths of the API are refused: their responses are not pages, and a login route could start a new login.
  const target = pathname + search + hash
  if (target.length > MAX_LENGTH) return '/'
  return isOwn && ![path, pathname].some((one) => /^\/api(\/|$)/i.test(one)) ? target : '/'
}

/** Removes all layers of percent-encoding; returns undefined if there are more than four, or if one is malformed. */
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

/**
 * Returns the URL of a page of the app. `basePath` has a slash at both ends.
 * @example pageAddress('/training/', '/decks/git') // '/training/decks/git'
 */
export function pageAddress(basePath: string, path: string): string {
  return basePath + path.slice(1)
}

/**
 * Returns the URL of the login page that explains the code and continues to `target`.
 * @example faultAddress('/', 'abgelaufen', '/decks/git') // '/anmelden?fehler=abgelaufen&weiter=%2Fdecks%2Fgit'
 */
export function faultAddress(basePath: string, code: string, target: string): string {
  const query = new URLSearchParams({ fehler: code, ...(target !== '/' && { weiter: target }) })
  return pageAddress(basePath, `/anmelden?${query}`)
}
