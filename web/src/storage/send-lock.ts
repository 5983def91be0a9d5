import type { SendLock } from './store.js'

const NAME = `training outbox ${new URL(document.baseURI).pathname}`

/**
 * Runs the work under a lock that all pages of the app in this browser share. In an insecure context, where the Web
 * Locks API is missing, a lease in the database replaces the lock.
 */
export async function withSendLock<T>(work: (turn: SendLock) => Promise<T>): Promise<T> {
  if (navigator.locks !== undefined) return navigator.locks.request(NAME, () => work({ isHeld: () => true }))
  const { takeLease } = await import('./lease.js')
  return takeLease(NAME, work)
}
