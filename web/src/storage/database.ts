import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { Entry, Receipt } from './entry.js'

/**
 * An entry as stored. `place` is its key, which increases in the order of sending; `aside` is 1 if the service has
 * refused the entry, otherwise 0.
 */
export type StoredEntry = Entry & { place?: number; aside: 0 | 1 }

export interface CachedItem {
  user: number
  /** Name of the content, such as `queue git` or `sheet linux-bash` */
  name: string
  /** Time of the request, in ms since the epoch */
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
  kept: { key: [number, string]; value: CachedItem }
  leases: { key: string; value: { name: string; holder: string; until: number } }
}

export type Database = IDBPDatabase<AppDatabase>

/**
 * Name of the database. Each base path of the app has its own database, so that two services on one origin stay
 * separate.
 */
const NAME = `training ${new URL(document.baseURI).pathname}`

let opened: Promise<Database> | undefined

/**
 * Opens the database once and returns the same connection afterwards.
 * @throws if storage is unavailable, as in some private windows
 */
export function openDatabase(): Promise<Database> {
  opened ??= openDB<AppDatabase>(NAME, 1, {
    upgrade(database) {
      const entries = database.createObjectStore('entries', { keyPath: 'place', autoIncrement: true })
      entries.createIndex('by id', ['user', 'id'], { unique: true })
      entries.createIndex('by state', ['user', 'aside'])
      // This index contains only undos, because ratings have no field `of`.
      entries.createIndex('undos', ['user', 'of'])
      const receipts = database.createObjectStore('receipts', { keyPath: ['user', 'id'] })
      receipts.createIndex('by user', 'user')
      receipts.createIndex('by time', 'at')
      database.createObjectStore('kept', { keyPath: ['user', 'name'] })
      database.createObjectStore('leases', { keyPath: 'name' })
    },
    // Closes this connection, so that a newer version of the app in another tab can upgrade the database.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
    terminated: () => (opened = undefined),
  })
  // After a failure, the next call tries again.
  opened.catch(() => (opened = undefined))
  return opened
}
