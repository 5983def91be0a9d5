import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { connectToStore, type OpenDatabase, openDatabase } from '../../db/client.js'
import { migrateToLatest } from '../../db/migrate.js'
import { createDatabase, onServer } from './on-server.js'
import { type NewStore, recordNewStore, resetStore } from './reset-store.js'
import { SCRATCH } from './scratch.js'
import { findTemplate } from './templates.js'
import { openTemporaryStore } from './temporary-store.js'

/** A migrated database that several tests use in turn. */
interface Store {
  open(): Promise<OpenDatabase>
  /** Connects for the reset */
  connect(): pg.Client
  destroy(): Promise<void>
  asNew?: NewStore
}

/** Nearly every file needs one database, few need two, and each takes several hundred MB. */
const KEPT = 2

const free: Store[] = []
const lent = new Set<Store>()
const abandoned: Store[] = []
const remains: string[] = []
let keeps = false

/** Keeps returned databases for reuse. The caller must call `destroyStores`. */
export function keepStores(): void {
  keeps = true
}

export async function destroyStores(): Promise<void> {
  keeps = false
  await Promise.all([...free.splice(0), ...abandoned.splice(0), ...lent].map((store) => store.destroy()))
}

/** Returns what was left in stores since the last call, and the number of stores in use. */
export function takeRemains(): string[] {
  const found = remains.splice(0)
  if (lent.size > 0) found.push(`${lent.size} open database(s)`)
  abandoned.push(...lent)
  lent.clear()
  return found
}

/** Returns a migrated database without rows; closing it returns it. */
export async function borrowDatabase(serverUrl: string | undefined): Promise<OpenDatabase> {
  const store = free.pop() ?? (await (serverUrl === undefined ? createEmbedded() : createOnServer(serverUrl)))
  if (keeps) store.asNew ??= await withClient(store, recordNewStore)
  lent.add(store)
  const database = await store.open()
  let closing: Promise<void> | undefined
  const close = async () => {
    await database.close()
    lent.delete(store)
    await takeBack(store)
  }
  return {
    ...database,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** Resets a store; one that cannot be reset is reported and discarded. */
async function takeBack(store: Store): Promise<void> {
  const { asNew } = store
  if (!keeps || asNew === undefined) return store.destroy()
  const differences = await withClient(store, (client) => resetStore(client, asNew)).catch((error) => [error.message])
  if (differences.length === 0 && free.length < KEPT) return void free.push(store)
  remains.push(...differences.map((difference) => `in its database: ${difference}`))
  await store.destroy()
}

async function withClient<T>(store: Store, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = store.connect()
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function createEmbedded(): Promise<Store> {
  const store = await openTemporaryStore(await findTemplate('migrated'), SCRATCH)
  return {
    open: async () => connectToStore({ ...store, close: async () => {} }, () => {}),
    connect: () => new pg.Client({ stream: store.connect, user: 'postgres', database: 'postgres' }),
    destroy: () => store.close(),
  }
}

async function createOnServer(serverUrl: string): Promise<Store> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const databaseUrl = await createDatabase(serverUrl, name)
  // `drop database … with (force)` may end a connection before it closes.
  const open = () => openDatabase({ databaseUrl, dataDir: '', poolMax: 10, onIdleError: () => {} })
  const database = await open()
  await migrateToLatest(database.db)
  await database.close()
  return {
    open,
    connect: () => new pg.Client(databaseUrl),
    destroy: () => onServer(serverUrl, `drop database ${name} with (force)`),
  }
}
