import { isOwn } from '../platform/own-response.js'

/** Maximum number of cached pictures per user, and maximum of their total size in bytes */
const MAX_PICTURES = 300
const MAX_BYTES = 60_000_000

/** Milliseconds before pictures are loaded, so that the page loads its own data first */
const AFTER_MS = 3_000

const TARGET = /\bmedia\/[0-9a-f]{64}\.(?:png|jpg|gif|webp|avif)\b/g
/** Prefix of cache names. Each user has one cache per base path of the app; the service worker searches all of them. */
const PREFIX = `training-pictures ${new URL(document.baseURI).pathname} `

interface CacheLimits {
  pictures?: number
  bytes?: number
}

/**
 * Caches the pictures of some content for offline use. Deletes the oldest other pictures if the limits would be
 * exceeded. Ignores errors.
 */
export async function cachePictures(user: number, content: unknown, limits: CacheLimits = {}): Promise<void> {
  const { pictures: most = MAX_PICTURES, bytes: mostBytes = MAX_BYTES } = limits
  const targets = [...new Set(JSON.stringify(content).match(TARGET))].slice(0, most)
  if (targets.length === 0 || !('caches' in globalThis)) return
  await new Promise((resolve) => setTimeout(resolve, AFTER_MS))
  try {
    const cache = await caches.open(PREFIX + user)
    const sizes = new Map<string, number>()
    for (const { url } of await cache.keys()) sizes.set(url, await sizeOf(await cache.match(url)))
    const wanted = targets.map((target) => new URL(`api/content/${target}`, document.baseURI).href)
    for (const url of wanted) {
      if (sizes.has(url)) continue
      const response = await fetch(url, { headers: { accept: 'image/*' } })
      // Caches only a response of the service, because that of a captive portal would stay in the cache.
      if (!response.ok || !isOwn(response)) continue
      const size = await sizeOf(response.clone())
      const others = [...sizes].filter(([other]) => !wanted.includes(other))
      while (sizes.size >= most || sum(sizes) + size > mostBytes) {
        const [oldest] = others.shift() ?? []
        if (oldest === undefined) return
        sizes.delete(oldest)
        await cache.delete(oldest)
      }
      await cache.put(url, response)
      sizes.set(url, size)
    }
  } catch {
    // The network or storage is unavailable, or storage is full: these pictures are not available offline.
  }
}

/** Deletes the picture caches of all users except the given one; of all users if `except` is undefined. */
export async function deleteCachedPictures(except?: number): Promise<void> {
  if (!('caches' in globalThis)) return
  const names = await caches.keys()
  const gone = names.filter((name) => name.startsWith(PREFIX) && name !== PREFIX + except)
  await Promise.all(gone.map((name) => caches.delete(name)))
}

async function sizeOf(response: Response | undefined): Promise<number> {
  return Number(response?.headers.get('content-length')) || ((await response?.blob())?.size ?? 0)
}

function sum(sizes: Map<string, number>): number {
  let total = 0
  for (const size of sizes.values()) total += size
  return total
}
