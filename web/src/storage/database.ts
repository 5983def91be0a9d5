import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { Entry, Receipt } from './entry.js'

/** Entries are found by user and id, and sent by user in the order of `place`; a refusal sets them aside. */
export type StoredEntry = Entry & { place?: number; aside: 0 | 1 }

/** Something that was fetched and may be read without a network. */
export interface KeptItem {
  user: number
  /** What it is, such as `queue git` or `sheet linux-bash`. */
  name: string
  /** Milliseconds since 1970, when it was asked for. */
  at: number
  content: unknown
}

export interface AppDatabase extends DBSchema {
  entries: {
    key: number
    value: StoredEntry
    indexes: { 'by id': [number, string]; 'by state': [number, number]; undos: [number, string] }
  }
  receipts: { key: [number, string]; value: Receipt; indexes: { 'by user': number; 'by time': number } }
  kept: { key: [number, string]; value: KeptItem }
  leases: { key: string; value: { name: string; holder: string; until: number } }
}

export type Database = IDBPDatabase<AppDatabase>

/** Each address of the app has a database of its own, so that two services on one machine stay apart. */
const NAME = `training ${new URL(document.baseURI).pathname}`

let opened: Promise<Database> | undefined

/** @throws when the browser keeps nothing, as some do in private windows */
export function openDatabase(): Promise<Database> {
  opened ??= openDB<AppDatabase>(NAME, 1, {
    upgrade(database) {
      const entries = database.createObjectStore('entries', { keyPath: 'place', autoIncrement: true })
      entries.createIndex('by id', ['user', 'id'], { unique: true })
      entries.createIndex('by state', ['user', 'aside'])
      // Only undos say which rating they are of.
      entries.createIndex('undos', ['user', 'of'])
      const receipts = database.createObjectStore('receipts', { keyPath: ['user', 'id'] })
      receipts.createIndex('by user', 'user')
      receipts.createIndex('by time', 'at')
      database.createObjectStore('kept', { keyPath: ['user', 'name'] })
      database.createObjectStore('leases', { keyPath: 'name' })
    },
    // A newer version of the app in another tab wants to change the database.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
    terminated: () => (opened = undefined),
  })
  // The next one may have more luck.
  opened.catch(() => (opened = undefined))
  return opened
}
