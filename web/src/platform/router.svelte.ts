import { tick } from 'svelte'

/** Where the page is served: `/`, or what `<base href>` says. */
const BASE = new URL(document.baseURI).pathname

/** The address below the base: `/decks/git`, its parameters, and its fragment without `#`. */
export const place = $state(readPlace())

function readPlace() {
  const { pathname, search, hash } = window.location
  const path = pathname.startsWith(BASE) ? `/${pathname.slice(BASE.length)}` : pathname
  return {
    path: path.length > 1 ? path.replace(/\/+$/, '') : path,
    query: new URLSearchParams(search),
    hash: decodeURIComponentSafely(hash.slice(1)),
    /** Changes with every step, so that the same page can be asked for anew. */
    step: 0,
  }
}

/** Goes to an address such as `decks/git?karte=4`, relative to the base. */
export async function go(href: string, { replace = false } = {}): Promise<void> {
  const url = new URL(href, document.baseURI)
  // Whoever comes back finds the place where the page was left.
  if (!replace) history.replaceState({ top: window.scrollY }, '')
  if (replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  await move()
}

/** Replaces parameters of the present address without a new step in the history, as a filter does while one types. */
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

/** How long a page that one comes back to may take until it is as long as it was. */
const GROWING_MS = 1_500

/** Scrolls there as soon as the page is long enough, unless its reader has scrolled already. */
function scrollWhenTall(top: number): void {
  window.scrollTo(0, 0)
  const end = performance.now() + GROWING_MS
  const { path } = place
  const attempt = () => {
    if (place.path !== path || window.scrollY > 0) return
    const isTall = document.documentElement.scrollHeight >= top + window.innerHeight
    if (isTall || performance.now() >= end) window.scrollTo(0, top)
    else requestAnimationFrame(attempt)
  }
  if (top > 0) attempt()
}

/** Shows the element of this id and goes on from there by keyboard, as the browser does with a link to a fragment. */
export function goToFragment(id: string): void {
  const target = document.getElementById(id)
  target?.scrollIntoView()
  target?.focus({ preventScroll: true })
}

/** Follows links within the app without loading the page anew. */
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

/** Where to go after the login: only an address of this app, as a path below the base. */
export function parseNext(text: string | null): string {
  if (text === null || !/^\/(?![/\\])/.test(text)) return '.'
  // With the dot it is a path, whatever follows: `javascript:` and `https:` would be addresses of their own.
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
