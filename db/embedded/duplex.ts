import { Duplex } from 'node:stream'
import type { Backend } from './backend.js'
import { createFramer } from './framing.js'

/** Access to the store for one connection. */
export interface Session {
  /**
   * Resolves with the database once no other connection uses it; rejects if the database cannot be started, or if the
   * connection or the store has been closed.
   */
  begin(): Promise<Backend>
  /** Called once after the connection has ended, even if `begin()` was never called. */
  end(): void
}

/** Creates a stream that `pg` treats as a socket connected to a PostgreSQL server. */
export function createDuplex(session: Session): Duplex {
  const frame = createFramer()
  let backend: Backend | undefined
  /** Continues `execute`, which waits until the reader wants more data */
  let resume: (() => void) | undefined

  async function writePieces(pieces: Buffer[]): Promise<void> {
    for (const input of frame(pieces)) {
      if (input.kind === 'messages') await execute(input.bytes)
      else if (input.kind === 'encryption') duplex.push('N')
      else duplex.push(null)
    }
  }

  async function execute(messages: Uint8Array<ArrayBuffer>): Promise<void> {
    if (!backend) throw new Error('not connected')
    let wanted = true
    await backend.execute(messages, (output) => {
      if (output.length > 0 && !duplex.destroyed) wanted = duplex.push(output)
    })
    // Backpressure: the next messages are executed only after the reader has consumed the output.
    if (!wanted && !duplex.destroyed) {
      await new Promise<void>((resolve) => {
        resume = resolve
      })
    }
  }

  const finish = (work: Promise<void>, callback: (error?: Error | null) => void) =>
    work.then(
      () => callback(),
      (error) => callback(error),
    )

  const duplex = new Duplex({
    write: (piece, _encoding, callback) => finish(writePieces([piece]), callback),
    writev: (pieces, callback) => finish(writePieces(pieces.map(({ chunk }) => chunk)), callback),
    read() {
      resume?.()
      resume = undefined
    },
    final(callback) {
      duplex.push(null)
      callback()
    },
    destroy(error, callback) {
      resume?.()
      session.end()
      callback(error)
    },
  })

  /** The socket methods that `pg` calls */
  const socket = {
    connect() {
      session.begin().then(
        (begun) => {
          backend = begun
          if (!duplex.destroyed) duplex.emit('connect')
        },
        (error) => duplex.destroy(error),
      )
      return duplex
    },
    setNoDelay: () => duplex,
    setKeepAlive: () => duplex,
    ref() {
      backend?.hold(true)
      return duplex
    },
    unref() {
      backend?.hold(false)
      return duplex
    },
  }
  return Object.assign(duplex, socket)
}
