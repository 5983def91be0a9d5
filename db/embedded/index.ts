import { statfs } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import { makeFolder } from '../make-folder.js'
import { type Backend, startBackend } from './backend.js'
import { createDuplex, type Session } from './duplex.js'
import { EmbeddedStoreError } from './errors.js'
import { prepareFolder } from './folder.js'
import { lockFolder } from './lock.js'

/** Free disk space needed to start, because PostgreSQL writes log segments of 16 MB each */
const NEEDED_SPACE_MB = 32

export { EmbeddedStoreError, EmbeddedStoreInUseError } from './errors.js'

/** A PostgreSQL database inside this process (PGlite), used through `pg`. */
export interface EmbeddedStore {
  /**
   * Creates a connection: `new Pool({ max: 1, stream: store.connect, user: 'postgres', database: 'postgres' })`. The
   * database has one session, so a second connection waits for the end of the first, at most for the pool's
   * `connectionTimeoutMillis`.
   */
  connect: () => Duplex
  /** Ends the connections, flushes everything to disk and releases the folder. Idempotent. */
  close(): Promise<void>
}

/**
 * Opens the database below `dataDir` and creates it if needed. If the database dies, its connection breaks and the next
 * connection restarts it.
 * @param options fsync: if false, commits survive a crash of the process but not of the machine (for tests)
 * @throws EmbeddedStoreError if the folder is in use or unusable, or the database does not start
 */
export async function openEmbeddedStore(dataDir: string, { fsync = true } = {}): Promise<EmbeddedStore> {
  const root = resolve(dataDir)
  const start = (folder: string) => startBackend({ folder, fsync })
  try {
    await makeFolder(root)
    const lock = await lockFolder(root)
    try {
      const folder = await prepareFolder(root)
      return serve(
        await start(folder),
        () => start(folder),
        () => lock.close(),
      )
    } catch (error) {
      await lock.close()
      throw error
    }
  } catch (error) {
    if (error instanceof EmbeddedStoreError) throw error
    const reason = (await findFullDisk(root)) ?? (error as Error).message.replaceAll(/\s+/g, ' ')
    throw new EmbeddedStoreError(`DATA_DIR: Die eingebettete Datenbank in ${root} lässt sich nicht öffnen: ${reason}`, {
      cause: error,
    })
  }
}

/** Returns an explanation if the disk has too little free space; PGlite itself reports only "Aborted()". */
async function findFullDisk(root: string): Promise<string | undefined> {
  const disk = await statfs(root).catch(() => undefined)
  if (disk === undefined) return undefined
  const free = Math.floor((disk.bavail * disk.bsize) / 2 ** 20)
  if (free >= NEEDED_SPACE_MB) return undefined
  return `Der Datenträger ist voll (noch ${free} MB frei); bitte mindestens ${NEEDED_SPACE_MB} MB frei machen und neu starten.`
}

function serve(first: Backend, restart: () => Promise<Backend>, release: () => Promise<void>): EmbeddedStore {
  const open = new Set<Duplex>()
  let current: Promise<Backend> | undefined = watch(Promise.resolve(first))
  /** Resolves when the session of the latest connection has ended */
  let lastSession = Promise.resolve()
  let closing: Promise<void> | undefined

  /** Drops a backend that has died or could not be started, so that the next session starts another backend. */
  function watch(starting: Promise<Backend>): Promise<Backend> {
    const forget = () => {
      if (current === starting) current = undefined
    }
    starting.then((backend) => {
      backend.hold(false)
      backend.died.then((error) => {
        forget()
        for (const duplex of open) duplex.destroy(error)
      })
    }, forget)
    return starting
  }

  function createSession(): Session {
    const previous = lastSession
    let begun: Promise<Backend> | undefined
    let over = false
    let finish: () => void
    lastSession = new Promise((resolve) => {
      finish = resolve
    })
    return {
      async begin() {
        await previous
        if (over || closing) throw new Error('embedded database or connection is closed')
        current ??= watch(restart())
        begun = current
        const backend = await begun
        backend.hold(true)
        return backend
      },
      end() {
        over = true
        // A session that never began has nothing to reset; the next session then waits only for `previous`.
        const ended = begun?.then(async (backend) => {
          await backend.reset()
          backend.hold(false)
        })
        Promise.all([previous, ended]).then(finish, finish)
      },
    }
  }

  async function close(): Promise<void> {
    for (const duplex of open) duplex.destroy()
    await lastSession
    try {
      const backend = await current?.catch(() => undefined)
      await backend?.close()
    } finally {
      await release()
    }
  }

  return {
    connect() {
      const duplex = createDuplex(createSession())
      open.add(duplex)
      duplex.once('close', () => open.delete(duplex))
      return duplex
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}
