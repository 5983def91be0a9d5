import { type Kysely, sql, type Transaction } from 'kysely'
import type { IncomingPicture } from '../../../src/domain/content/upload/incoming.js'
import type { Database } from '../../types.js'
import { readInChunks } from '../read-in-chunks.js'

export interface Picture {
  extension: IncomingPicture['extension']
  bytes: Buffer
}

/** @param sha SHA-256 in hex */
export async function findPicture(db: Kysely<Database>, sha: string): Promise<Picture | undefined> {
  return db
    .selectFrom('media')
    .select(['extension', 'bytes'])
    .where('sha256', '=', Buffer.from(sha, 'hex'))
    .executeTakeFirst()
}

/** Returns which of the pictures, by SHA-256 in hex, are stored. */
export async function findKeptPictures(db: Kysely<Database>, shas: readonly string[]): Promise<Set<string>> {
  const kept = await readInChunks(shas, async (chunk) => {
    const { rows } = await sql<{ sha: string }>`
      select sha from unnest(${chunk}::text[]) as sha
      where exists (select from media where sha256 = decode(sha, 'hex'))`.execute(db)
    return rows
  })
  return new Set(kept.map(({ sha }) => sha))
}

/** Returns the total size of all pictures in bytes. */
export async function sumPictures(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ size: number }>`
    select coalesce(sum(size_bytes), 0)::bigint as size from media`.execute(db)
  return rows[0]?.size ?? 0
}

export async function insertPicture(
  transaction: Transaction<Database>,
  { sha, extension, bytes }: Picture & { sha: string },
): Promise<void> {
  await transaction
    .insertInto('media')
    .values({ sha256: Buffer.from(sha, 'hex'), extension, size_bytes: bytes.length, bytes })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Days that a picture uploaded in the browser is kept before a text shows it */
const DAYS_FOR_WRITING = 7

/** Deletes pictures that no card or sheet shows, not even in a superseded version. */
export async function deleteUnusedPictures(db: Kysely<Database>): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('media')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('picture_uses').select('id').whereRef('picture_uses.sha256', '=', 'media.sha256'))),
    )
    .where(({ or, eb }) =>
      or([
        eb('created_by', 'is', null),
        eb('created_at', '<', sql<Date>`now() - make_interval(days => ${DAYS_FOR_WRITING})`),
      ]),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export async function hasPictures(db: Kysely<Database>): Promise<boolean> {
  const first = await db.selectFrom('media').select('sha256').limit(1).executeTakeFirst()
  return first !== undefined
}
