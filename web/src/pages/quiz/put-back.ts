import { startSyncQueue } from '../../outbox/start-sync-queue.js'
import { newId } from '../../storage/id.js'

/**
 * Rates the cards „Nochmal“ without waiting for the network, so that they are due again today.
 * @returns the ids of the ratings in order, for `takeBack`
 */
export async function putBack(user: number, cards: readonly number[]): Promise<string[]> {
  // Opens the outbox, because the app may not have done so yet.
  const queue = startSyncQueue()
  queue.open(user)
  const names: string[] = []
  for (const card_id of cards) {
    const name = newId()
    await queue.rate(name, card_id, 'again')
    names.push(name)
  }
  return names
}

/** Undoes the ratings, the last one first, as the service requires. */
export async function takeBack(names: readonly string[]): Promise<void> {
  for (const name of names.toReversed()) await startSyncQueue().takeBack(name)
}
