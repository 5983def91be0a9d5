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
import type { IncomingPicture } from '../../domain/content/incoming.js'
import { CONTENT_CHANGES, MediaFull } from '../../domain/refusals.js'

const MEGABYTE = 2 ** 20
/** What all pictures may take together, unless somebody has set it. */
export const DEFAULT_MEDIA_BYTES = 2_048 * MEGABYTE

/**
 * Those that are not kept yet.
 * @param pictures each once
 * @throws MediaFull when there would be more bytes than that
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

/** One after the other: a picture may be large. @throws CONTENT_CHANGES when a file is another one by now */
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

/** To be called where texts may have lost pictures. */
export async function dropUnusedPictures(transaction: Transaction<Database>): Promise<void> {
  if (await hasPictures(transaction)) await deleteUnusedPictures(transaction)
}
