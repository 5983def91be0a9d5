import { writeSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { DamagedPackage, EntryTooLarge } from '../../../../domain/content/refusals.js'
import { LIMITS, TOO_MANY_ENTRIES, UNPACKED_TOO_LARGE } from './limits.js'

/** A zip file read by entry name. Names are never used as paths of the file system. */
export class Zip {
  readonly #file: ZipFile
  readonly #entries: Map<string, Entry>
  #bytesLeft: number

  private constructor(file: ZipFile, entries: Map<string, Entry>, maxBytes: number) {
    this.#file = file
    this.#entries = entries
    this.#bytesLeft = maxBytes
  }

  /**
   * Opens a zip file and reads its directory. The caller must call `close`.
   * @param maxBytes maximum number of decompressed bytes that may be read in total
   * @throws DamagedPackage if the directory cannot be read or entries overlap
   * @throws TOO_MANY_ENTRIES if there are more than 20,000 entries
   */
  static async open(path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Zip> {
    const file = await asDamage('das Verzeichnis des Archivs fehlt', () => openPromise(path, { autoClose: false }))
    try {
      if (file.entryCount > LIMITS.entries) throw TOO_MANY_ENTRIES
      const all: Entry[] = []
      await asDamage('das Verzeichnis des Archivs ist nicht lesbar', async () => {
        for await (const entry of file.eachEntry()) all.push(entry)
      })
      if (overlap(all)) throw new DamagedPackage('seine Einträge überlappen sich')
      return new Zip(file, new Map(all.map((entry) => [entry.fileName.normalize('NFC'), entry])), maxBytes)
    } catch (error) {
      file.close()
      throw error
    }
  }

  /** Number of bytes that may still be read */
  get bytesLeft(): number {
    return this.#bytesLeft
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
   * Yields the bytes of an entry.
   * @throws DamagedPackage if the entry is missing or unreadable, or has a wrong checksum
   * @throws EntryTooLarge if the entry declares more than `limit` bytes, or as soon as it exceeds them
   * @throws UNPACKED_TOO_LARGE as soon as the bytes read from all entries exceed the `maxBytes` of `open`
   */
  async *read(name: string, limit: number): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name)
    if (entry === undefined) throw new DamagedPackage(`der Eintrag „${name}“ fehlt`)
    const reason = `der Eintrag „${name}“ ist nicht lesbar`
    if (!entry.canDecodeFileData()) throw new DamagedPackage(reason)
    if (entry.uncompressedSize > limit) throw new EntryTooLarge(name, limit)
    const stream: Readable = await asDamage(reason, () => this.#file.openReadStreamPromise(entry))
    let length = 0
    let sum = 0
    try {
      const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
      for (;;) {
        const { done, value } = await asDamage(reason, () => pieces.next())
        if (done) break
        length += value.length
        if (length > limit) throw new EntryTooLarge(name, limit)
        this.#bytesLeft -= value.length
        if (this.#bytesLeft < 0) throw UNPACKED_TOO_LARGE
        sum = crc32(value, sum)
        yield value
      }
    } finally {
      stream.destroy()
    }
    if (sum !== entry.crc32) throw new DamagedPackage(reason)
  }

  /** Returns the bytes of a small entry. @throws the errors of `read` */
  async readBytes(name: string, limit: number): Promise<Buffer> {
    return joinPieces(this.read(name, limit))
  }
}

/** Runs `work` and converts errors caused by the file to DamagedPackage. */
async function asDamage<T>(reason: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // System errors, such as a lack of memory or disk space, are not caused by the file.
    const { code } = error as NodeJS.ErrnoException
    if (/^E(?!RR_)/.test(code ?? '')) throw error
    throw new DamagedPackage(reason)
  }
}

export async function joinPieces(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece)
  return Buffer.concat(parts)
}

/** Writes all pieces to an open file; `writeSync` may write only a part of a piece at a time. */
export async function writePieces(descriptor: number, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    for (let done = 0; done < piece.length; ) done += writeSync(descriptor, piece, done)
  }
}

/** Size of an entry's local header without its name, in bytes */
const LOCAL_HEADER = 30

/** Returns whether entries overlap; with overlapping entries, a small file could unpack to a huge size. */
function overlap(entries: readonly Entry[]): boolean {
  const places = entries.map(({ relativeOffsetOfLocalHeader: start, fileNameLength, compressedSize }) => ({
    start,
    end: start + LOCAL_HEADER + fileNameLength + compressedSize,
  }))
  places.sort((a, b) => a.start - b.start)
  return places.some(({ start }, index) => start < (places[index - 1]?.end ?? 0))
}
