import { createWriteStream } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'

/** Compression level of zlib; lower than the default, because speed matters more than size */
const COMPRESSION = 3

/** Writes a zip file as a stream, so that entries are not held in memory. */
export class ZipWriter {
  readonly #zip = new ZipFile()
  readonly #written: Promise<void>
  #failure: Error | undefined

  readonly #time: Date

  /** @param time modification time of all entries */
  constructor(file: string, time = new Date()) {
    this.#time = time
    this.#written = pipeline(this.#zip.outputStream, createWriteStream(file, { mode: 0o600 }))
    // The error is stored, so that entries that are being written or added later fail with it.
    this.#written.catch((error: Error) => {
      this.#failure = error
    })
    this.#zip.on('error', (error: Error) => (this.#zip.outputStream as PassThrough).destroy(error))
  }

  addFile(path: string, name: string): void {
    this.#zip.addFile(path, name, { compressionLevel: COMPRESSION, mode: 0o100644, mtime: this.#time })
  }

  /** Adds an uncompressed entry; resolves when the zip has read its bytes. */
  async addBytes(bytes: Uint8Array, name: string): Promise<void> {
    const stream = Readable.from([bytes], { objectMode: false })
    this.#zip.addReadStream(stream, name, { compress: false, size: bytes.length, mode: 0o100644, mtime: this.#time })
    await this.#orFailure(finished(stream))
  }

  /** Adds a text in chunks. `end` must be called before another entry is added. */
  addText(name: string): { write: (text: string) => Promise<void>; end: () => Promise<void> } {
    const stream = new PassThrough()
    this.#zip.addReadStream(stream, name, { compressionLevel: COMPRESSION, mode: 0o100644, mtime: this.#time })
    return {
      write: async (text) => {
        if (stream.write(text)) return
        await this.#orFailure(new Promise<void>((resolve) => stream.once('drain', resolve)))
      },
      end: async () => {
        stream.end()
        await this.#orFailure(finished(stream))
      },
    }
  }

  async close(): Promise<void> {
    this.#zip.end()
    await this.#written
  }

  async #orFailure(work: Promise<void>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    await Promise.race([work, this.#written])
    if (this.#failure !== undefined) throw this.#failure
  }
}
