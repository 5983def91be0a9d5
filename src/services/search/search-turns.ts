import { setTimeout as sleep } from 'node:timers/promises'
import { accountShare, FairTurns } from '../fair-turns.js'

/** Minimum pause after a search, long enough for a request with several statements */
const LEAST_PAUSE_MS = 5

/**
 * Runs a search as soon as the queue admits it, and returns its result.
 * @param signal removes a waiting search from the queue; its reason is thrown
 * @throws TooManyAttempts if 5 searches of the user wait
 * @throws Unavailable if the queue is full
 */
export type SearchInTurn = <T>(userId: number, search: () => Promise<T>, signal: AbortSignal) => Promise<T>

/**
 * Returns a queue for searches that leaves the database free for other requests. It runs at most two searches at a
 * time, or one on the embedded database, which has a single connection, and never two of one user. After each search it
 * pauses for as long as the search took, at least 5 ms.
 */
export function searchTurns(isEmbedded: boolean): SearchInTurn {
  const turns = new FairTurns({
    concurrent: isEmbedded ? 1 : 2,
    runningPerOwner: 1,
    waitingOthers: 200,
    waitingPerOwner: 5,
    retryAfterSeconds: 2,
  })
  return (userId, search, signal) =>
    new Promise((resolve, reject) => {
      const searchAndRest = async () => {
        const started = performance.now()
        await search().then(resolve, reject)
        await rest(started)
      }
      turns.run(accountShare(userId), searchAndRest, signal).catch(reject)
    })
}

/** Waits for as long as the work since `started` took, at least 5 ms. */
export async function rest(started: number): Promise<void> {
  await sleep(Math.max(LEAST_PAUSE_MS, performance.now() - started))
}
