import { openDatabase } from './database.js'
import { newId } from './id.js'
import type { Turn } from './store.js'

const LEASE_MS = 10_000
const RENEW_MS = 3_000
const ASK_AGAIN_MS = 500

const holder = newId()
/** Serialises within this page. */
let before: Promise<unknown> = Promise.resolve()

/** A turn shared by the pages of the app through the database; a closed page loses it after a while. */
export async function takeLease<T>(name: string, work: (turn: Turn) => Promise<T>): Promise<T> {
  const result = before.then(async () => {
    let until = await renew(name)
    while (until === undefined) {
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
      until = await renew(name)
    }
    const timer = setInterval(async () => (until = await renew(name)), RENEW_MS)
    try {
      return await work({ isHeld: () => until !== undefined && Date.now() < until })
    } finally {
      clearInterval(timer)
      await giveBack(name)
    }
  })
  before = result.catch(() => undefined)
  return result
}

/** Returns the end of our turn; undefined if another page has it. Without a database there are no turns to share. */
async function renew(name: string): Promise<number | undefined> {
  const now = Date.now()
  const until = now + LEASE_MS
  try {
    const { store, done } = (await openDatabase()).transaction('leases', 'readwrite')
    const lease = await store.get(name)
    // A lease that ends implausibly late stems from a clock that was corrected.
    const isFree = lease === undefined || lease.holder === holder || lease.until < now || lease.until > until
    if (isFree) await store.put({ name, holder, until })
    await done
    return isFree ? until : undefined
  } catch {
    return until
  }
}

async function giveBack(name: string): Promise<void> {
  try {
    const { store, done } = (await openDatabase()).transaction('leases', 'readwrite')
    if ((await store.get(name))?.holder === holder) await store.delete(name)
    await done
  } catch {
    // The lease expires without being released.
  }
}
