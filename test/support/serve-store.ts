import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { openEmbeddedStore } from '../../db/embedded/index.js'
import type { Owner } from './process.js'

interface ServedStore {
  /** Returns variables for commands: with the served address until `close`, with the data folder afterwards. */
  variables(): Record<string, string>
  close(): Promise<void>
}

/**
 * Serves an embedded store over PostgreSQL's network protocol, one session at a time. Commands then need not open the
 * store, which takes most of a second. Does nothing if the variables refer to a PostgreSQL server.
 */
export async function serveStore(t: Owner, variables: Record<string, string>): Promise<ServedStore> {
  if (variables.DATABASE_URL !== undefined) return { variables: () => variables, close: async () => {} }
  const store = await openEmbeddedStore(variables.DATA_DIR as string, { fsync: false })
  const server = createServer((socket) => join(socket, store.connect() as Duplex & { connect(): void }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  let served: Record<string, string> | undefined = {
    ...variables,
    DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/postgres`,
  }
  const close = async () => {
    if (served === undefined) return
    served = undefined
    server.close()
    await store.close()
  }
  t.teardown(close)
  return { variables: () => served ?? variables, close }
}

function join(socket: Socket, session: Duplex & { connect(): void }): void {
  session.once('connect', () => session.pipe(socket).pipe(session))
  for (const [one, other] of [
    [socket, session],
    [session, socket],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('close', () => other.destroy())
  }
  session.connect()
}
