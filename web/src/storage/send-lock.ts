import type { SendLock } from './store.js'

const NAME = `training outbox ${new URL(document.baseURI).pathname}`

/**
 * Runs the work under a lock that all pages of the app share. The Web Locks API needs a secure context; over plain http
 * a lease in the database replaces it.
 */
export async function withSendLock<T>(work: (turn: SendLock) => Promise<T>): Promise<T> {
  if (navigator.locks !== undefined) return navigator.locks.request(NAME, () => work({ isHeld: () => true }))
  const { takeLease } = await import('./lease.js')
  return takeLease(NAME, work)
}
