import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type MediaList, parseMediaJson, parseMediaMessage, readNumber } from '../../../../domain/anki/index.js'
import { DamagedPackage, EntryTooLarge, NOT_A_PACKAGE, PACKAGE_TOO_NEW } from '../../../../domain/content/refusals.js'
import { LIMITS } from './limits.js'
import { unzstd } from './unzstd.js'
import { joinPieces, writePieces, type Zip } from './zip.js'
import { ANKI_COLLECTIONS, type PackageFormat } from './zip-kind.js'

export interface UnpackedCollection {
  format: PackageFormat
  path: string
  media: MediaList
}

const VERSIONS: readonly PackageFormat[] = ['legacy1', 'legacy2', 'latest']

/**
 * Returns the format of the collection to read. Newer packages also contain a collection for older versions of Anki,
 * which is ignored.
 */
async function findFormat(zip: Zip): Promise<PackageFormat> {
  if (!zip.has('meta')) {
    const format = VERSIONS.toReversed().find((one) => zip.has(ANKI_COLLECTIONS[one]))
    if (format === undefined) throw NOT_A_PACKAGE
    return format
  }
  const version = readVersion(await zip.readBytes('meta', MAX_META))
  if (version > VERSIONS.length) throw PACKAGE_TOO_NEW
  const format = VERSIONS[version - 1]
  if (format === undefined) throw new DamagedPackage('seine Version ist nicht angegeben')
  return format
}

function readVersion(meta: Uint8Array): number {
  try {
    return readNumber(meta, VERSION)
  } catch {
    throw new DamagedPackage('seine Version ist nicht lesbar')
  }
}

const VERSION = 1
const MAX_META = 1_024

/**
 * Unpacks the collection of a package into the folder.
 * @throws NOT_A_PACKAGE, PACKAGE_TOO_NEW if there is no collection or the version is not supported
 * @throws DamagedPackage if the package cannot be read
 * @throws FileTooLarge if the collection or the list of media exceeds its limit
 */
export async function unpackCollection(zip: Zip, folder: string): Promise<UnpackedCollection> {
  const format = await findFormat(zip)
  const name = ANKI_COLLECTIONS[format]
  if (!zip.has(name)) throw new DamagedPackage('die Sammlung fehlt')
  const media = await readMediaList(zip, format)
  const path = join(folder, 'collection.db')
  const descriptor = openSync(path, 'wx+', 0o600)
  try {
    await writePieces(descriptor, readEntry(zip, format, name, LIMITS.collectionBytes))
    clearWalFlag(descriptor)
  } finally {
    closeSync(descriptor)
  }
  return { format, path, media }
}

/** Yields the bytes of an entry. In packages of the latest format, entries are also compressed with Zstandard. */
export function readEntry(zip: Zip, format: PackageFormat, name: string, limit: number): AsyncGenerator<Uint8Array> {
  const pieces = zip.read(name, limit)
  return format === 'latest' ? unzstd(pieces, new EntryTooLarge(name, limit), limit) : pieces
}

async function readMediaList(zip: Zip, format: PackageFormat): Promise<MediaList> {
  // Some programs omit the media list if it is empty.
  if (!zip.has('media')) return new Map()
  const bytes = await joinPieces(readEntry(zip, format, 'media', LIMITS.mediaListBytes))
  const list = format === 'latest' ? parseMediaMessage(bytes) : parseMediaJson(bytes.toString() || '{}')
  if (list === undefined) throw new DamagedPackage('die Liste der Medien ist nicht lesbar')
  return list
}

const MAGIC = 'SQLite format 3\0'
const VERSION_BYTES = 18

/**
 * Clears the flag for a write-ahead log, because this build of SQLite cannot open such a database. No data is lost, as
 * a package contains no log.
 */
function clearWalFlag(descriptor: number): void {
  const head = Buffer.alloc(MAGIC.length)
  readSync(descriptor, head, 0, head.length, 0)
  if (head.toString('latin1') !== MAGIC) throw new DamagedPackage('die Sammlung ist keine Datenbank')
  writeSync(descriptor, Buffer.from([1, 1]), 0, 2, VERSION_BYTES)
}
