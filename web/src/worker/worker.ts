import { isOwn } from '../platform/own-response.js'
import { cachedPathFor, isPicture } from './rules.js'

/** File list, version and language, inserted by the build */
declare const FILES: string[]
declare const VERSION: string
declare const LANGUAGE: string

/**
 * The parts of the worker scope that this file uses. They are declared here, because the types of workers conflict with
 * those of pages.
 */
interface WorkerScope {
  registration: { scope: string }
  clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener<T>(type: string, listener: (event: T) => void): void
}
interface Extendable {
  waitUntil(work: Promise<unknown>): void
}
interface Fetching {
  request: Request
  respondWith(response: Promise<Response>): void
}

const worker = globalThis as unknown as WorkerScope
const { scope } = worker.registration
const PREFIX = `training ${new URL(scope).pathname} `
const NAME = PREFIX + VERSION
/** Prefix of the picture caches. `storage/pictures.ts` manages one cache per user. */
const PICTURES = `training-pictures ${new URL(scope).pathname} `
const files = new Set(FILES)

worker.addEventListener<Extendable>('install', (event) => event.waitUntil(install()))
worker.addEventListener<Extendable>('activate', (event) => event.waitUntil(activate()))
worker.addEventListener<MessageEvent>('message', ({ data }) => {
  if (data === 'take over') void worker.skipWaiting()
})
worker.addEventListener<Fetching>('fetch', (event) => {
  const path = cachedPathFor(event.request, scope, files)
  if (path !== undefined) event.respondWith(findFile(path, event.request))
  else if (isPicture(event.request, scope)) event.respondWith(findPicture(event.request))
})

async function install(): Promise<void> {
  const cache = await caches.open(NAME)
  // Fetches the page from the service, which inserts the base path.
  const page = fetch(scope, { cache: 'no-cache', headers: { accept: 'text/html' } }).then(async (response) => {
    // A captive portal's login page would stay in the cache until the next version.
    if (!response.ok || !isOwn(response)) throw new Error(`the page: ${response.status}`)
    // If another language was chosen since the browser fetched this file, the service sends the page of that one. The
    // browser tries again with the next update.
    if (!(await response.clone().text()).includes(`<html lang="${LANGUAGE}"`)) throw new Error('another language')
    await cache.put(scope, response)
  })
  const others = FILES.map(async (file) => {
    const url = new URL(file, scope)
    const response = await fetch(url, { cache: file.startsWith('assets/') ? 'default' : 'no-cache' })
    // Refuses an HTML page that is sent in place of a file. Files without a hash in their names are revalidated,
    // because the HTTP cache of the browser may contain older versions.
    const isForeign = response.headers.get('content-type')?.startsWith('text/html') ?? true
    if (!response.ok || isForeign) throw new Error(`${file}: ${response.status}`)
    await cache.put(url, response)
  })
  await Promise.all([page, ...others])
}

async function activate(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name)))
  await worker.clients.claim()
}

async function findFile(path: string, request: Request): Promise<Response> {
  const kept = await caches.match(new URL(path, scope), { cacheName: NAME })
  return kept ?? fetch(request)
}

async function findPicture(request: Request): Promise<Response> {
  for (const name of await caches.keys()) {
    const kept = name.startsWith(PICTURES) ? await caches.match(request.url, { cacheName: name }) : undefined
    if (kept !== undefined) return kept
  }
  return fetch(request)
}
