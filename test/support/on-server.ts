import pg from 'pg'
import { type DatabaseOptions, type OpenDatabase, openDatabase } from '../../db/client.js'

export async function createDatabase(serverUrl: string, name: string, options = ''): Promise<string> {
  await onServer(serverUrl, `create database ${name} ${options}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

export async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Opens a database for the requests of a test, which wait for each other for as long as on the embedded database. */
export function openOnServer(databaseUrl: string, options: Partial<DatabaseOptions> = {}): Promise<OpenDatabase> {
  return openDatabase({
    databaseUrl,
    dataDir: '',
    poolMax: 10,
    connectTimeoutMs: 600_000,
    // `drop database … with (force)` may end an idle connection before it is closed.
    onIdleError: () => {},
    ...options,
  })
}
