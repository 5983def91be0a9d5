import { setTimeout as sleep } from 'node:timers/promises'
import { accountShare, FairTurns } from '../fair-turns.js'

/** A request of several statements fits into the pause after a search. */
const LEAST_PAUSE_MS = 5

/**
 * Runs a search when its turn comes.
 * @param signal ends the waiting with its reason
 * @throws TooManyAttempts if too many searches of the user wait, Unavailable if too many of all wait
 */
export type SearchInTurn = <T>(userId: number, search: () => Promise<T>, signal: AbortSignal) => Promise<T>

/**
 * Limits searches, so that they leave the database to other requests: one at a time on the embedded store, which has
 * one connection, two on a server, and one per user. The next search starts after a pause as long as the last one took.
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

/** Waits as long as the work since `started` took. */
export async function rest(started: number): Promise<void> {
  await sleep(Math.max(LEAST_PAUSE_MS, performance.now() - started))
}
