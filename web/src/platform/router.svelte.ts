import { tick } from 'svelte'

/** Base path of the app, from `<base href>` */
const BASE = new URL(document.baseURI).pathname

/** Current path below the base, such as `/decks/git`, with query and fragment (without `#`) */
export const place = $state(readPlace())

function readPlace() {
  const { pathname, search, hash } = window.location
  const path = pathname.startsWith(BASE) ? `/${pathname.slice(BASE.length)}` : pathname
  return {
    path: path.length > 1 ? path.replace(/\/+$/, '') : path,
    query: new URLSearchParams(search),
    hash: decodeURIComponentSafely(hash.slice(1)),
    /** Counts the navigations, so that navigating to the current page is noticed */
    step: 0,
  }
}

/** Navigates to an address such as `decks/git?karte=4`, relative to the base. */
export async function go(href: string, { replace = false } = {}): Promise<void> {
  const url = new URL(href, document.baseURI)
  // Stores the scroll position for a return to this page.
  if (!replace) history.replaceState({ top: window.scrollY }, '')
  if (replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  await move()
}

/** Changes query parameters without a new history entry, for example while typing a filter. */
export function setQuery(values: Record<string, string | undefined>): void {
  const url = new URL(window.location.href)
  for (const [name, value] of Object.entries(values)) {
    if (value) url.searchParams.set(name, value)
    else url.searchParams.delete(name)
  }
  history.replaceState(history.state, '', url)
  place.query = new URLSearchParams(url.search)
}

async function move(top = 0): Promise<void> {
  const { path: before } = place
  const next = readPlace()
  Object.assign(place, next, { step: place.step + 1 })
  await tick()
  if (next.hash !== '') goToFragment(next.hash)
  else if (next.path !== before) scrollWhenTall(top)
}

/** Maximum milliseconds to wait until a page is long enough for its previous scroll position */
const MAX_WAIT_MS = 1_500

/**
 * Scrolls to the start, then to `top` when the page is long enough, or after `MAX_WAIT_MS`. Stops if the user has
 * scrolled or left the page.
 */
function scrollWhenTall(top: number): void {
  window.scrollTo(0, 0)
  const end = performance.now() + MAX_WAIT_MS
  const { path } = place
  const attempt = () => {
    if (place.path !== path || window.scrollY > 0) return
    const isTall = document.documentElement.scrollHeight >= top + window.innerHeight
    if (isTall || performance.now() >= end) window.scrollTo(0, top)
    else requestAnimationFrame(attempt)
  }
  if (top > 0) attempt()
}

export function goToFragment(id: string): void {
  const target = document.getElementById(id)
  target?.scrollIntoView()
  target?.focus({ preventScroll: true })
}

export function startRouter(): void {
  history.scrollRestoration = 'manual'
  addEventListener('popstate', ({ state }) => void move((state as { top?: number } | null)?.top))
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.hasAttribute('download') || link.dataset.outside !== undefined) {
      return
    }
    const url = new URL(link.href, document.baseURI)
    if (url.origin !== window.location.origin || !url.pathname.startsWith(BASE)) return
    event.preventDefault()
    void go(url.href)
  })
}

/**
 * Parses the path to open after login, such as `/decks/git`. Returns its absolute URL, or `.` if it is not a path of
 * this app.
 * @example parseNext('//example.org') // '.'
 */
export function parseNext(text: string | null): string {
  if (text === null || !/^\/(?![/\\])/.test(text)) return '.'
  // The leading dot makes the path relative to the base.
  const url = new URL(`.${text}`, document.baseURI)
  return url.origin === window.location.origin && url.pathname.startsWith(BASE) ? url.href : '.'
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
