import type { IDBPTransaction } from 'idb'
import { type AppDatabase, openDatabase, type StoredEntry } from './database.js'
import type { Entry } from './entry.js'
import type { Store, Tables } from './store.js'

type Names = ('entries' | 'receipts')[]
const NAMES: Names = ['entries', 'receipts']

/**
 * Creates a store in IndexedDB with `strict` durability: the promise of a change resolves after the change is on disk.
 */
export function createDurableStore(): Store {
  return {
    async change(work) {
      const transaction = (await openDatabase()).transaction(NAMES, 'readwrite', { durability: 'strict' })
      return finish(transaction, work(writingTables(transaction)))
    },
    async read(work) {
      const transaction = (await openDatabase()).transaction(NAMES, 'readonly')
      return finish(transaction, work(readingTables(transaction) as Tables))
    },
  }
}

async function finish<T>(transaction: { done: Promise<void>; abort(): void }, working: Promise<T>): Promise<T> {
  // Prevents an unhandled rejection; the error of `working` is more specific.
  transaction.done.catch(() => undefined)
  try {
    const result = await working
    await transaction.done
    return result
  } catch (error) {
    try {
      transaction.abort()
    } catch {
      // The transaction has already ended, so it cannot be aborted.
    }
    throw error
  }
}

type Writing = IDBPTransaction<AppDatabase, Names, 'readwrite'>
type Reading = IDBPTransaction<AppDatabase, Names, 'readonly'>

function readingTables(transaction: Reading | Writing) {
  const entries = transaction.objectStore('entries')
  const receipts = transaction.objectStore('receipts')
  return {
    find: async (user, id) => {
      const record = await entries.index('by id').get([user, id])
      return record === undefined ? undefined : entryOf(record)
    },
    oldest: async (user, count) => (await entries.index('by state').getAll([user, 0], limitOf(count))).map(entryOf),
    refused: async (user) => (await entries.index('by state').getAll([user, 1])).map(entryOf),
    count: (user) => entries.index('by state').count([user, 0]),
    undos: async (user) => {
      const found = await entries.index('undos').getAll(IDBKeyRange.bound([user], [user, []]))
      return found.map(entryOf).filter((entry) => entry.kind === 'undo')
    },
    findReceipt: (user, id) => receipts.get([user, id]),
    receipts: (user) => receipts.index('by user').getAll(user),
  } satisfies Partial<Tables>
}

function writingTables(transaction: Writing): Tables {
  const entries = transaction.objectStore('entries')
  const receipts = transaction.objectStore('receipts')
  return {
    ...readingTables(transaction),
    async add(entry) {
      await entries.add(recordOf(entry))
    },
    async put(entry) {
      const place = await entries.index('by id').getKey([entry.user, entry.id])
      await entries.put(place === undefined ? recordOf(entry) : { ...recordOf(entry), place })
    },
    async remove(user, id) {
      const place = await entries.index('by id').getKey([user, id])
      if (place !== undefined) await entries.delete(place)
    },
    async addReceipt(receipt) {
      await receipts.put(receipt)
    },
    removeReceipt: (user, id) => receipts.delete([user, id]),
    async removeReceiptsBefore(at) {
      for (const key of await receipts.index('by time').getAllKeys(IDBKeyRange.upperBound(at, true))) {
        await receipts.delete(key)
      }
    },
  }
}

function recordOf(entry: Entry): StoredEntry {
  return { ...entry, aside: entry.refusal === undefined ? 0 : 1 }
}

function entryOf({ place: _place, aside: _aside, ...entry }: StoredEntry): Entry {
  return entry
}

/**
 * Returns the count as a limit for `getAll`, which accepts only numbers below 2^32. Returns undefined, which means no
 * limit, for a larger count.
 */
function limitOf(count: number): number | undefined {
  return count < 2 ** 32 ? count : undefined
}
