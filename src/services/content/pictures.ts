import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Kysely, Transaction } from 'kysely'
import {
  deleteUnusedPictures,
  findKeptPictures,
  hasPictures,
  insertPicture,
  sumPictures,
} from '../../../db/queries/content/media.js'
import type { Database } from '../../../db/types.js'
import { CONTENT_CHANGES, MediaFull } from '../../domain/content/refusals.js'
import type { IncomingPicture } from '../../domain/content/upload/incoming.js'

const MEGABYTE = 2 ** 20
/** Default total size of all pictures */
export const DEFAULT_MEDIA_BYTES = 2_048 * MEGABYTE

/**
 * Returns the pictures that are not stored yet.
 * @param pictures without duplicates
 * @throws MediaFull if the total would exceed the limit
 */
export async function findMissingPictures(
  db: Kysely<Database>,
  pictures: readonly IncomingPicture[],
  maxBytes: number,
): Promise<IncomingPicture[]> {
  if (pictures.length === 0) return []
  const kept = await findKeptPictures(
    db,
    pictures.map(({ sha }) => sha),
  )
  const missing = pictures.filter(({ sha }) => !kept.has(sha))
  const size = missing.reduce((sum, picture) => sum + picture.size, 0)
  if (size > 0 && (await sumPictures(db)) + size > maxBytes) throw new MediaFull(maxBytes / MEGABYTE)
  return missing
}

/** Stores one picture after another, because each may be large. @throws CONTENT_CHANGES if a file has changed */
export async function storePictures(
  transaction: Transaction<Database>,
  pictures: readonly IncomingPicture[],
): Promise<void> {
  for (const { sha, extension, path } of pictures) {
    const bytes = await readFile(path).catch(() => new Uint8Array())
    if (hash('sha256', bytes, 'hex') !== sha) throw CONTENT_CHANGES
    await insertPicture(transaction, { sha, extension, bytes: Buffer.from(bytes) })
  }
}

/** Must be called after texts may have lost pictures. */
export async function dropUnusedPictures(transaction: Transaction<Database>): Promise<void> {
  if (await hasPictures(transaction)) await deleteUnusedPictures(transaction)
}
