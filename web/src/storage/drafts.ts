import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { DraftStore, StoredDraft } from './draft.js'

interface DraftDatabase extends DBSchema {
  drafts: { key: [user: number, item: string, version: number]; value: StoredDraft; indexes: { 'by time': number } }
}

/** Drafts of this age are deleted. */
const MAX_AGE_MS = 90 * 86_400_000

/** A database of its own: another version of the outbox's one would lock out pages that are still open. */
const NAME = `training drafts ${new URL(document.baseURI).pathname}`

let opened: Promise<IDBPDatabase<DraftDatabase>> | undefined

function open(): Promise<IDBPDatabase<DraftDatabase>> {
  if (opened !== undefined) return opened
  opened = openDB<DraftDatabase>(NAME, 1, {
    upgrade(database) {
      const drafts = database.createObjectStore('drafts', { keyPath: ['user', 'item', 'version'] })
      drafts.createIndex('by time', 'at')
    },
    terminated: () => (opened = undefined),
  })
  // Once only: the last draft of a page that is being closed would wait for it in vain.
  opened.then(removeOld).catch(() => (opened = undefined))
  return opened
}

async function removeOld(database: IDBPDatabase<DraftDatabase>): Promise<void> {
  const { store, done } = database.transaction('drafts', 'readwrite')
  const old = IDBKeyRange.upperBound(Date.now() - MAX_AGE_MS)
  for (const key of await store.index('by time').getAllKeys(old)) await store.delete(key)
  await done
}

const rangeOf = (user: number, item: string) => IDBKeyRange.bound([user, item], [user, item, []])

/** Drafts on this device; each function rejects if the browser stores nothing. */
export const drafts: DraftStore & { list(user: number): Promise<StoredDraft[]> } = {
  /** Returns the latest draft of an item. */
  async find(user: number, item: string): Promise<StoredDraft | undefined> {
    const found = await (await open()).getAll('drafts', rangeOf(user, item))
    return found.reduce<StoredDraft | undefined>(
      (latest, one) => (latest && latest.at > one.at ? latest : one),
      undefined,
    )
  },
  /** Returns all drafts of a user. */
  async list(user: number): Promise<StoredDraft[]> {
    return (await open()).getAll('drafts', IDBKeyRange.bound([user], [user, []]))
  },
  async put(draft: StoredDraft): Promise<void> {
    const transaction = (await open()).transaction('drafts', 'readwrite', { durability: 'strict' })
    void transaction.store.put(draft)
    // Without it, a page that is being closed would abort the transaction.
    transaction.commit()
    await transaction.done
  },
  /** Removes all drafts of an item. */
  async remove(user: number, item: string): Promise<void> {
    await (await open()).delete('drafts', rangeOf(user, item))
  },
}
