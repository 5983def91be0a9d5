import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { preferIndexes } from '../../../db/queries/search/find-items.js'
import { deleteUnusedWords, listWordIds } from '../../../db/queries/search/index-words.js'
import { tryLock } from '../../../db/queries/try-lock.js'
import type { Database } from '../../../db/types.js'
import type { JobContext, JobSummary } from './job.js'

const BATCH_SIZE = 100
/** Pause after each batch, so that requests can use the single connection of the embedded database */
const PAUSE_MS = 20

/** Deletes the words of the search index that no text contains any more, because they may be confidential. */
export async function deleteWords({ db, signal, renewLease }: JobContext): Promise<JobSummary> {
  let deleted = 0
  let last: number | undefined = 0
  while (last !== undefined) {
    signal.throwIfAborted()
    await renewLease()
    const ids = await listWordIds(db, { after: last, limit: BATCH_SIZE })
    const count = await deleteBatch(db, ids)
    // Repeats the batch if the index is just being updated.
    if (count !== undefined) {
      deleted += count
      last = ids.at(-1)
    }
    await sleep(PAUSE_MS)
  }
  return { words: deleted }
}

/** Returns the number of deleted words; undefined if another transaction holds the lock. */
async function deleteBatch(db: Kysely<Database>, ids: readonly number[]): Promise<number | undefined> {
  return db.transaction().execute(async (transaction) => {
    if (!(await tryLock(transaction, 'search index'))) return undefined
    await preferIndexes(transaction)
    return deleteUnusedWords(transaction, ids)
  })
}
