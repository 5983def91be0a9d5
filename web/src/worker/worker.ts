import { answerFor, isPicture } from './rules.js'

/** The files of this version and its name, put in by the build. */
declare const FILES: string[]
declare const VERSION: string

/** What a worker has that a page does not; the types of both cannot be loaded together. */
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
  respondWith(answer: Promise<Response>): void
}

const worker = globalThis as unknown as WorkerScope
const { scope } = worker.registration
const PREFIX = `training ${new URL(scope).pathname} `
const NAME = PREFIX + VERSION
/** What the page keeps for each person; `storage/pictures.ts` fills it, and empties it when they leave. */
const PICTURES = `training-pictures ${new URL(scope).pathname} `
const files = new Set(FILES)

worker.addEventListener<Extendable>('install', (event) => event.waitUntil(install()))
worker.addEventListener<Extendable>('activate', (event) => event.waitUntil(activate()))
worker.addEventListener<MessageEvent>('message', ({ data }) => {
  if (data === 'take over') void worker.skipWaiting()
})
worker.addEventListener<Fetching>('fetch', (event) => {
  const path = answerFor(event.request, scope, files)
  if (path !== undefined) event.respondWith(answer(path, event.request))
  else if (isPicture(event.request, scope)) event.respondWith(answerPicture(event.request))
})

async function install(): Promise<void> {
  const cache = await caches.open(NAME)
  // The page is what the service sends: it knows below which path it lives. Hashed files are as they were.
  const page = fetch(scope, { cache: 'no-cache', headers: { accept: 'text/html' } }).then(async (answer) => {
    if (!answer.ok) throw new Error(`the page: ${answer.status}`)
    await cache.put(scope, answer)
  })
  const others = FILES.map(
    (file) => new Request(new URL(file, scope), { cache: file.startsWith('assets/') ? 'default' : 'no-cache' }),
  )
  await Promise.all([page, cache.addAll(others)])
}

async function activate(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name)))
  await worker.clients.claim()
}

async function answer(path: string, request: Request): Promise<Response> {
  const kept = await caches.match(new URL(path, scope), { cacheName: NAME })
  return kept ?? fetch(request)
}

async function answerPicture(request: Request): Promise<Response> {
  for (const name of await caches.keys()) {
    const kept = name.startsWith(PICTURES) ? await caches.match(request.url, { cacheName: name }) : undefined
    if (kept !== undefined) return kept
  }
  return fetch(request)
}
