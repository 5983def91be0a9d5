import { writeSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { DamagedPackage, FILE_TOO_LARGE } from '../../../domain/refusals.js'
import { LIMITS } from './limits.js'

/** A zip file whose entries are read by name; no name ever becomes a path. */
export class Zip {
  readonly #file: ZipFile
  readonly #entries: Map<string, Entry>

  private constructor(file: ZipFile, entries: Map<string, Entry>) {
    this.#file = file
    this.#entries = entries
  }

  /** @throws DamagedPackage, FILE_TOO_LARGE */
  static async open(path: string): Promise<Zip> {
    const file = await asDamage('das Verzeichnis des Archivs fehlt', () => openPromise(path, { autoClose: false }))
    try {
      if (file.entryCount > LIMITS.entries) throw FILE_TOO_LARGE
      const entries = new Map<string, Entry>()
      await asDamage('das Verzeichnis des Archivs ist nicht lesbar', async () => {
        for await (const entry of file.eachEntry()) entries.set(entry.fileName.normalize('NFC'), entry)
      })
      return new Zip(file, entries)
    } catch (error) {
      file.close()
      throw error
    }
  }

  get names(): string[] {
    return [...this.#entries.keys()]
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  close(): void {
    this.#file.close()
  }

  /**
   * The bytes of an entry, piece by piece.
   * @throws DamagedPackage when it is not whole, FILE_TOO_LARGE as soon as it has more bytes than `limit`
   */
  async *read(name: string, limit: number): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name)
    if (entry === undefined) throw new DamagedPackage(`der Eintrag „${name}“ fehlt`)
    const reason = `der Eintrag „${name}“ ist nicht lesbar`
    if (!entry.canDecodeFileData()) throw new DamagedPackage(reason)
    if (entry.uncompressedSize > limit) throw FILE_TOO_LARGE
    const stream: Readable = await asDamage(reason, () => this.#file.openReadStreamPromise(entry))
    let length = 0
    let sum = 0
    try {
      const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
      for (;;) {
        const { done, value } = await asDamage(reason, () => pieces.next())
        if (done) break
        length += value.length
        if (length > limit) throw FILE_TOO_LARGE
        sum = crc32(value, sum)
        yield value
      }
    } finally {
      stream.destroy()
    }
    if (sum !== entry.crc32) throw new DamagedPackage(reason)
  }

  /** A small entry as a whole. */
  async readBytes(name: string, limit: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.read(name, limit)) pieces.push(piece)
    return Buffer.concat(pieces)
  }
}

/** What comes of a faulty file is told in our words. */
async function asDamage<T>(reason: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Without memory or disk the file is not to blame.
    const { code } = error as NodeJS.ErrnoException
    if (/^E(?!RR_)/.test(code ?? '')) throw error
    throw new DamagedPackage(reason)
  }
}

/** Writes pieces to an open file. */
export async function writePieces(descriptor: number, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    for (let done = 0; done < piece.length; ) done += writeSync(descriptor, piece, done)
  }
}
