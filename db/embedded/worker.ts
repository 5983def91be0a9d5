import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { createMaintenance } from './maintenance.js'
import { SyncedNodeFS } from './synced-node-fs.js'

export interface StoreWorkerOptions {
  /** Folder of an existing database */
  folder: string
  fsync: boolean
}

/** Whole protocol messages of the client to execute; `reset` ends the session, `close` ends the store. */
export type StoreWorkerRequest = Uint8Array<ArrayBuffer> | 'reset' | 'close'
/** Reply of the worker. The output of a request comes in chunks; `done` is true in the last chunk. */
export type WorkerReply =
  | { output: Uint8Array<ArrayBuffer>; done: boolean }
  | 'ready'
  | 'reset'
  | 'closed'
  | { fatal: string }

/** Minimum size of a chunk of output in bytes; the last chunk may be smaller. */
const chunkSize = 64 * 1024
/** Exit status with which PGlite reports an ordinary SQL error; any other exception ends the backend. */
const sqlErrorStatus = 100

/** Start parameters with fsync: `-F` disables fsync; fdatasync, the default for the log, does nothing in PGlite. */
const syncedParams = [...PGlite.defaultStartParams.filter((param) => param !== '-F'), '-c', 'wal_sync_method=fsync']

const syncMessage = new Uint8Array([0x53, 0, 0, 0, 4])
/** ReadyForQuery outside a transaction */
const readyMessage = [0x5a, 0, 0, 0, 5, 0x49]

if (!parentPort) throw new Error('worker.ts runs as a worker thread only')
const port = parentPort
const { folder, fsync }: StoreWorkerOptions = workerData
const pglite = await PGlite.create({
  fs: fsync ? new SyncedNodeFS(folder) : new NodeFS(folder),
  extensions: { pg_trgm },
  startParams: [
    ...(fsync ? syncedParams : PGlite.defaultStartParams),
    ...['-c', 'shared_buffers=32MB', '-c', 'max_wal_size=128MB'],
  ],
})
exitOnFatalErrors()
const maintenance = createMaintenance(pglite)

/** Whether no transaction is open and all messages of the client have been executed */
let idle = true
// Runs client messages and maintenance one after another, because maintenance awaits between its steps.
let queue = Promise.resolve()
port.on('message', (request: StoreWorkerRequest) => {
  queue = queue.then(() => handle(request)).catch(endThread)
})
const timer = setInterval(() => {
  queue = queue.then(() => maintenance.tick(idle)).catch(endThread)
}, 10_000)
reply('ready')

async function handle(request: StoreWorkerRequest): Promise<void> {
  if (request === 'close') {
    clearInterval(timer)
    await pglite.close()
    reply('closed')
    port.close()
  } else if (request === 'reset') {
    await pglite.execProtocol(syncMessage, { throwOnError: false })
    await pglite.exec('ROLLBACK')
    await pglite.exec('DISCARD ALL')
    idle = true
    reply('reset')
  } else {
    await execute(request)
    await maintenance.afterRequest(idle)
  }
}

async function execute(messages: Uint8Array): Promise<void> {
  let pieces: Uint8Array[] = []
  let size = 0
  const take = () => {
    const output = new Uint8Array(size)
    let offset = 0
    for (const piece of pieces) {
      output.set(piece, offset)
      offset += piece.length
    }
    pieces = []
    size = 0
    return output
  }
  await pglite.execProtocolRawStream(messages, {
    syncToFs: false,
    onRawData: (bytes) => {
      // Copies the bytes, because `bytes` is a view of PGlite's memory
      pieces.push(bytes.slice())
      size += bytes.length
      if (size >= chunkSize) reply({ output: take(), done: false })
    },
  })
  const output = take()
  idle = readyMessage.every((byte, i) => output[output.length - readyMessage.length + i] === byte)
  reply({ output, done: true })
}

function reply(message: WorkerReply): void {
  if (typeof message === 'object' && 'output' in message && message.output.length >= chunkSize) {
    port.postMessage(message, [message.output.buffer])
  } else {
    port.postMessage(message)
  }
}

/** Ends the thread on an exception that is not an SQL error; PGlite would continue with a broken backend. */
function exitOnFatalErrors(): void {
  const backend = pglite.Module
  const runOnce = backend._PostgresMainLoopOnce
  backend._PostgresMainLoopOnce = () => {
    try {
      runOnce()
    } catch (error) {
      if ((error as { status?: number }).status !== sqlErrorStatus) endThread(error)
      throw error
    }
  }
}

function endThread(error: unknown): never {
  const { message } = error as { message?: string }
  reply({ fatal: message ?? String(error) })
  process.exit(1)
}
