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

/** Deletes pictures that no card or sheet references, including archived ones. Reads each text once. */
export async function deleteUnusedPictures(transaction: Transaction<Database>): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with texts as (
      select question || ' ' || answer as text from cards where question like '%media/%' or answer like '%media/%'
      union all
      select content_md from cheatsheets where content_md like '%media/%'
    ),
    used as (
      select distinct decode(found[1], 'hex') as sha256
      from texts, regexp_matches(text, 'media/([0-9a-f]{64})[.]', 'g') as found
    ),
    unused as (
      delete from media where not exists (select from used where used.sha256 = media.sha256) returning 1
    )
    select count(*) as deleted from unused`.execute(transaction)
  return rows[0]?.deleted ?? 0
}

export async function hasPictures(db: Kysely<Database>): Promise<boolean> {
  const first = await db.selectFrom('media').select('sha256').limit(1).executeTakeFirst()
  return first !== undefined
}
