import { openDatabase } from './database.js'
import { newId } from './id.js'
import type { SendLock } from './store.js'

const LEASE_MS = 10_000
const RENEW_MS = 3_000
const RETRY_MS = 500

const holder = newId()
/** Resolves at the end of the previous call of `takeLease` in this page; the next call waits for it */
let before: Promise<unknown> = Promise.resolve()

/**
 * Waits until this page holds a lease in the database, then runs the work. The lease of a closed page expires after
 * `LEASE_MS`.
 */
export async function takeLease<T>(name: string, work: (turn: SendLock) => Promise<T>): Promise<T> {
  const result = before.then(async () => {
    let until = await renew(name)
    while (until === undefined) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      until = await renew(name)
    }
    const timer = setInterval(async () => (until = await renew(name)), RENEW_MS)
    try {
      return await work({ isHeld: () => until !== undefined && Date.now() < until })
    } finally {
      clearInterval(timer)
      await release(name)
    }
  })
  before = result.catch(() => undefined)
  return result
}

/**
 * Acquires or renews the lease. Returns its end in ms since the epoch; undefined if another page holds the lease. If
 * storage is unavailable, every page gets a lease.
 */
async function renew(name: string): Promise<number | undefined> {
  const now = Date.now()
  const until = now + LEASE_MS
  try {
    const { store, done } = (await openDatabase()).transaction('leases', 'readwrite')
    const lease = await store.get(name)
    // A lease that ends later than `until` was stored before the clock of the device was set back. Such a lease is
    // ignored.
    const isFree = lease === undefined || lease.holder === holder || lease.until < now || lease.until > until
    if (isFree) await store.put({ name, holder, until })
    await done
    return isFree ? until : undefined
  } catch {
    return until
  }
}

async function release(name: string): Promise<void> {
  try {
    const { store, done } = (await openDatabase()).transaction('leases', 'readwrite')
    if ((await store.get(name))?.holder === holder) await store.delete(name)
    await done
  } catch {
    // Releasing the lease has failed. The lease expires later.
  }
}
