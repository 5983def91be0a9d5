import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type MediaList, parseMediaJson, parseMediaMessage } from '../../../domain/anki/media-list.js'
import { readNumber } from '../../../domain/anki/protobuf.js'
import { DamagedPackage, NOT_A_PACKAGE, PACKAGE_TOO_NEW } from '../../../domain/refusals.js'
import { LIMITS } from './limits.js'
import { unzstd } from './unzstd.js'
import { writePieces, type Zip } from './zip.js'

/** What Anki calls the versions of its packages; each has its collection under another name. */
export type PackageFormat = 'legacy1' | 'legacy2' | 'latest'

export interface UnpackedCollection {
  format: PackageFormat
  /** Of the database. */
  path: string
  media: MediaList
}

const COLLECTIONS: Readonly<Record<PackageFormat, string>> = {
  legacy1: 'collection.anki2',
  legacy2: 'collection.anki21',
  latest: 'collection.anki21b',
}
const VERSIONS: readonly PackageFormat[] = ['legacy1', 'legacy2', 'latest']

export function isAnkiPackage(zip: Zip): boolean {
  return zip.has('meta') || Object.values(COLLECTIONS).some((name) => zip.has(name))
}

/** Newer packages hold a second collection, whose only note asks for a newer program; it is never looked at. */
async function findFormat(zip: Zip): Promise<PackageFormat> {
  if (!zip.has('meta')) {
    const format = VERSIONS.toReversed().find((one) => zip.has(COLLECTIONS[one]))
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
 * Writes the collection of a package into the folder, ready to be opened.
 * @throws NOT_A_PACKAGE, PACKAGE_TOO_NEW, FILE_TOO_LARGE, DamagedPackage
 */
export async function unpackCollection(zip: Zip, folder: string): Promise<UnpackedCollection> {
  const format = await findFormat(zip)
  const name = COLLECTIONS[format]
  if (!zip.has(name)) throw new DamagedPackage('die Sammlung fehlt')
  const media = await readMediaList(zip, format)
  const path = join(folder, 'collection.db')
  const descriptor = openSync(path, 'wx+', 0o600)
  try {
    const pieces = zip.read(name, LIMITS.collectionBytes)
    await writePieces(descriptor, format === 'latest' ? unzstd(pieces, LIMITS.collectionBytes) : pieces)
    leaveWal(descriptor)
  } finally {
    closeSync(descriptor)
  }
  return { format, path, media }
}

async function readMediaList(zip: Zip, format: PackageFormat): Promise<MediaList> {
  // Some programs leave it out when there is nothing to list.
  if (!zip.has('media')) return new Map()
  const pieces = zip.read('media', LIMITS.mediaListBytes)
  const parts: Uint8Array[] = []
  for await (const part of format === 'latest' ? unzstd(pieces, LIMITS.mediaListBytes) : pieces) parts.push(part)
  const bytes = Buffer.concat(parts)
  const list = format === 'latest' ? parseMediaMessage(bytes) : parseMediaJson(bytes.toString() || '{}')
  if (list === undefined) throw new DamagedPackage('die Liste der Medien ist nicht lesbar')
  return list
}

const MAGIC = 'SQLite format 3\0'
const VERSION_BYTES = 18

/** A database that says it has a write-ahead log cannot be opened by this SQLite; the log itself is not in a package. */
function leaveWal(descriptor: number): void {
  const head = Buffer.alloc(MAGIC.length)
  readSync(descriptor, head, 0, head.length, 0)
  if (head.toString('latin1') !== MAGIC) throw new DamagedPackage('die Sammlung ist keine Datenbank')
  writeSync(descriptor, Buffer.from([1, 1]), 0, 2, VERSION_BYTES)
}
