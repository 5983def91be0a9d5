import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import { readStored, removeStored, writeStored } from '../platform/storage.js'
import type { DraftStore, StoredDraft } from './draft.js'

interface DraftDatabase extends DBSchema {
  drafts: { key: [user: number, item: string, version: number]; value: StoredDraft; indexes: { 'by time': number } }
}

/** Age in milliseconds above which drafts are deleted */
const MAX_AGE_MS = 90 * 86_400_000

/**
 * Name of the database. Drafts are not in the database of the outbox, because an upgrade of that database would
 * disconnect open pages of an older version.
 */
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
  // Deletes old drafts only when the database is opened, because a page that is being closed must write its last draft
  // without delay.
  opened.then(removeOld).catch(() => (opened = undefined))
  return opened
}

async function removeOld(database: IDBPDatabase<DraftDatabase>): Promise<void> {
  const { store, done } = database.transaction('drafts', 'readwrite')
  const old = IDBKeyRange.upperBound(Date.now() - MAX_AGE_MS)
  for (const key of await store.index('by time').getAllKeys(old)) await store.delete(key)
  await done
}

/** Returns the key under which local storage holds a draft until the database has it. */
const noteOf = (user: number, item: string) => `${NAME} ${user} ${item}`

function removeNote({ user, item, at }: StoredDraft): void {
  const key = noteOf(user, item)
  if ((readStored<StoredDraft>(key)?.at ?? 0) <= at) removeStored(key)
}

async function write(database: IDBPDatabase<DraftDatabase>, draft: StoredDraft): Promise<void> {
  const { store, done } = database.transaction('drafts', 'readwrite', { durability: 'strict' })
  const other = await store.get([draft.user, draft.item, draft.version])
  if (other === undefined || other.at <= draft.at) await store.put(draft)
  await done
  removeNote(draft)
}

/**
 * Opens the database and adds drafts from local storage that pages could not write to the database before they were
 * closed.
 */
async function openAll(): Promise<IDBPDatabase<DraftDatabase>> {
  const database = await open()
  const notes = Object.keys(localStorage).filter((key) => key.startsWith(`${NAME} `))
  for (const draft of notes.map((key) => readStored<StoredDraft>(key))) if (draft) await write(database, draft)
  return database
}

const rangeOf = (user: number, item: string) => IDBKeyRange.bound([user, item], [user, item, []])

export const drafts: DraftStore & { list(user: number): Promise<StoredDraft[]> } = {
  async find(user: number, item: string): Promise<StoredDraft | undefined> {
    const found = await (await openAll()).getAll('drafts', rangeOf(user, item))
    return found.reduce<StoredDraft | undefined>(
      (latest, one) => (latest && latest.at > one.at ? latest : one),
      undefined,
    )
  },
  async list(user: number): Promise<StoredDraft[]> {
    return (await openAll()).getAll('drafts', IDBKeyRange.bound([user], [user, []]))
  },
  async put(draft: StoredDraft): Promise<void> {
    // Local storage is written as well, because a page that is being closed cannot complete a write to the database.
    writeStored(noteOf(draft.user, draft.item), draft)
    await write(await open(), draft)
  },
  async remove(user: number, item: string): Promise<void> {
    removeStored(noteOf(user, item))
    await (await open()).delete('drafts', rangeOf(user, item))
  },
}
