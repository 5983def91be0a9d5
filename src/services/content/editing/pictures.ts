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
  /** As Markdown shows it */
  address: string
  width: number
  height: number
}

/**
 * Stores a picture for a text that its author is writing.
 * @throws BadPicture, OwnMediaFull, MediaFull
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
    // One upload of a user at a time, so that several at once do not exceed the limit.
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
