import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import {
  findKeptPictures,
  sumOwnPictures,
  sumPictures,
  upsertOwnPicture,
} from '../../../../db/queries/content/media.js'
import { lockLearner } from '../../../../db/queries/review/progress.js'
import type { Database } from '../../../../db/types.js'
import { NOT_LOGGED_IN } from '../../../domain/accounts/refusals.js'
import { BadPicture, MediaFull, OwnMediaFull } from '../../../domain/content/refusals.js'
import { checkPicture, measurePicture, mediaTarget } from '../../../domain/pictures/index.js'
import { OWN_MEDIA_BYTES } from '../pictures.js'

const MEGABYTE = 2 ** 20

export interface UploadedPicture {
  /** SHA-256 in hex */
  sha: string
  /** Target of the picture in Markdown */
  address: string
  width: number
  height: number
}

/**
 * Stores a picture for a text that the user is writing.
 * @throws BadPicture if the file is damaged or not a supported picture
 * @throws OwnMediaFull if the user's pictures would exceed their limit
 * @throws MediaFull if all pictures would exceed the total limit
 * @throws NOT_LOGGED_IN if the user has been deleted
 */
export async function uploadPicture(
  db: Kysely<Database>,
  userId: number,
  bytes: Buffer,
  limits: { mediaMaxBytes: number; ownMaxBytes?: number },
): Promise<UploadedPicture> {
  const checked = checkPicture(bytes)
  if ('problem' in checked) throw new BadPicture(checked.problem)
  const { extension } = checked
  const size = measurePicture(bytes, extension)
  if (size === undefined) throw new BadPicture('ist beschädigt')
  const sha = hash('sha256', bytes, 'hex')
  const { mediaMaxBytes, ownMaxBytes = OWN_MEDIA_BYTES } = limits
  await db.transaction().execute(async (transaction) => {
    // Serialises the uploads of a user, so that concurrent uploads cannot exceed the limit.
    if (!(await lockLearner(transaction, userId))) throw NOT_LOGGED_IN
    if ((await sumOwnPictures(transaction, userId, sha)) + bytes.length > ownMaxBytes) {
      throw new OwnMediaFull(ownMaxBytes / MEGABYTE)
    }
    const isKept = (await findKeptPictures(transaction, [sha])).has(sha)
    if (!isKept && (await sumPictures(transaction)) + bytes.length > mediaMaxBytes) {
      throw new MediaFull(mediaMaxBytes / MEGABYTE)
    }
    await upsertOwnPicture(transaction, { sha, extension, bytes }, userId)
  })
  return { sha, address: mediaTarget({ sha, extension }), ...size }
}
