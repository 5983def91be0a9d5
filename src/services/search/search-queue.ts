import { setTimeout as sleep } from 'node:timers/promises'
import { accountShare, FairTurns } from '../fair-turns.js'

/** Minimum pause after a search, long enough for a request with several statements */
const MIN_PAUSE_MS = 5

/**
 * Runs a search as soon as the queue admits it, and returns its result.
 * @param signal removes a waiting search from the queue; the signal's reason is thrown
 * @throws TooManyAttempts if 5 searches of the user already wait
 * @throws Unavailable under the conditions of `FairTurns.run`
 */
export type RunSearch = <T>(userId: number, search: () => Promise<T>, signal: AbortSignal) => Promise<T>

/**
 * Returns a queue for searches that leaves the database free for other requests: it limits the concurrent searches, in
 * total and of each user, and pauses after each search. The embedded database has a single connection.
 */
export function createSearchQueue(isEmbedded: boolean): RunSearch {
  const turns = new FairTurns({
    concurrent: isEmbedded ? 1 : 2,
    runningPerOwner: 1,
    waitingOthers: 200,
    waitingPerOwner: 5,
    retryAfterSeconds: 2,
  })
  return (userId, search, signal) =>
    new Promise((resolve, reject) => {
      const searchAndPause = async () => {
        const started = performance.now()
        await search().then(resolve, reject)
        await pauseAfterWork(started)
      }
      turns.run(accountShare(userId), searchAndPause, signal).catch(reject)
    })
}

/** Waits for as long as the work since `started` took, at least 5 ms. */
export async function pauseAfterWork(started: number): Promise<void> {
  await sleep(Math.max(MIN_PAUSE_MS, performance.now() - started))
}
