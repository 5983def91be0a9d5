import type { Turn } from '../outbox/sender.js'
import { openDatabase } from './database.js'
import { newId } from './id.js'

const NAME = `training outbox ${new URL(document.baseURI).pathname}`
const LEASE_MS = 10_000
const RENEW_MS = 3_000
const ASK_AGAIN_MS = 500

/** The locks of the browser need a secure context; over plain http a lease in the database does the same. */
export async function takeTurn<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
  if (navigator.locks !== undefined) return navigator.locks.request(NAME, () => work({ isHeld: () => true }))
  return takeLease(work)
}

const holder = newId()
/** Within this page, one after the other. */
let before: Promise<unknown> = Promise.resolve()

async function takeLease<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
  const result = before.then(async () => {
    let until = await renew()
    while (until === undefined) {
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
      until = await renew()
    }
    const timer = setInterval(async () => (until = await renew()), RENEW_MS)
    try {
      return await work({ isHeld: () => until !== undefined && Date.now() < until })
    } finally {
      clearInterval(timer)
      await giveBack()
    }
  })
  before = result.catch(() => undefined)
  return result
}

/** Until when the turn is ours; undefined when it is another page's. A browser without a database has no turns to share. */
async function renew(): Promise<number | undefined> {
  const now = Date.now()
  const until = now + LEASE_MS
  try {
    const { store, done } = (await openDatabase()).transaction('leases', 'readwrite')
    const lease = await store.get(NAME)
    // A lease that ends much later than any can is one of a clock that was put right.
    const isFree = lease === undefined || lease.holder === holder || lease.until < now || lease.until > until
    if (isFree) await store.put({ name: NAME, holder, until })
    await done
    return isFree ? until : undefined
  } catch {
    return until
  }
}

async function giveBack(): Promise<void> {
  try {
    const { store, done } = (await openDatabase()).transaction('leases', 'readwrite')
    if ((await store.get(NAME))?.holder === holder) await store.delete(NAME)
    await done
  } catch {
    // It ends by itself.
  }
}
