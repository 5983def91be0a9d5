import type { Kysely } from 'kysely'
import { isIndexPending, readSearchTexts, takePending, writeItemWords } from '../../../db/queries/search/index-words.js'
import { tryLock } from '../../../db/queries/try-lock.js'
import type { Database } from '../../../db/types.js'
import { wordsOf } from '../../domain/search/words.js'

/**
 * Indexes changed rows in batches, each in a separate transaction, until none is left, `mayContinue` resolves to false,
 * or another transaction holds the lock or all rows of a batch.
 * @returns whether the index is complete
 */
export async function indexContent(db: Kysely<Database>, mayContinue: () => Promise<boolean>): Promise<boolean> {
  for (;;) {
    if (!(await isIndexPending(db))) return true
    if (!(await mayContinue()) || !(await indexNext(db))) return false
  }
}

/** Indexes the next batch. Returns false if another transaction holds the lock or all rows of the batch. */
async function indexNext(db: Kysely<Database>): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await tryLock(transaction, 'search index'))) return false
    let [hasIndexed, isPutBack] = [false, false]
    for (const { kind, ids } of await takePending(transaction)) {
      const read = await readSearchTexts(transaction, kind, ids)
      isPutBack ||= read.isPutBack
      const items = read.texts.map(({ id, title, text }) => {
        const words = wordsOf(title)
        return { id, title: [...words], words: [...new Set([...words, ...wordsOf(text)])] }
      })
      if (items.length === 0) continue
      await writeItemWords(transaction, kind, items)
      hasIndexed = true
    }
    return hasIndexed || !isPutBack
  })
}
