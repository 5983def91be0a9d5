import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Kysely, Transaction } from 'kysely'
import {
  deleteUnusedPictures,
  findKeptPictures,
  hasPictures,
  insertPicture,
  sumOwnPictures,
  sumPictures,
} from '../../../db/queries/content/media.js'
import type { Database } from '../../../db/types.js'
import { CONTENT_CHANGES, MediaFull, OwnMediaFull } from '../../domain/content/refusals.js'
import type { IncomingPicture } from '../../domain/content/upload/incoming.js'

const MEGABYTE = 2 ** 20
/** Maximum total size of the pictures of one author */
export const OWN_MEDIA_BYTES = 200 * MEGABYTE
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

/** @throws OwnMediaFull if the pictures of the author would exceed `maxBytes` */
export async function limitOwnPictures(
  db: Kysely<Database>,
  userId: number,
  missing: readonly IncomingPicture[],
  maxBytes = OWN_MEDIA_BYTES,
): Promise<void> {
  const size = missing.reduce((sum, picture) => sum + picture.size, 0)
  if (size > 0 && (await sumOwnPictures(db, userId)) + size > maxBytes) {
    throw new OwnMediaFull(maxBytes / MEGABYTE)
  }
}

/**
 * Stores pictures one after another, because each may be large.
 * @param userId author whose limit the pictures count towards; null if no limit applies
 * @throws CONTENT_CHANGES if a file has been changed or deleted since it was read
 */
export async function storePictures(
  transaction: Transaction<Database>,
  pictures: readonly IncomingPicture[],
  userId: number | null = null,
): Promise<void> {
  for (const { sha, extension, path } of pictures) {
    const bytes = await readFile(path).catch(() => new Uint8Array())
    if (hash('sha256', bytes, 'hex') !== sha) throw CONTENT_CHANGES
    await insertPicture(transaction, { sha, extension, bytes: Buffer.from(bytes) }, userId)
  }
}

/**
 * Calls `deleteUnusedPictures` if any pictures are stored. Must be called after a change that may have removed pictures
 * from texts.
 */
export async function dropUnusedPictures(transaction: Transaction<Database>): Promise<void> {
  if (await hasPictures(transaction)) await deleteUnusedPictures(transaction)
}
