import { type ExpressionBuilder, type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { IncomingPicture } from '../../../src/domain/content/upload/incoming.js'
import type { Database } from '../../types.js'
import { readInChunks } from '../read-in-chunks.js'
import { IS_LIVE_TEST } from './visibility.js'

export interface Picture {
  extension: IncomingPicture['extension']
  bytes: Buffer
}

export type PictureHead = Pick<Selectable<Database['media']>, 'extension' | 'size_bytes'>

export type Viewer = Pick<Selectable<Database['users']>, 'id' | 'is_admin' | 'is_author'>

/**
 * Returns type and size of a picture that the viewer may see; undefined for other pictures. Authors may also see the
 * pictures of superseded versions in the sources that they edit.
 * @param sha SHA-256 in hex
 */
export async function findPicture(db: Kysely<Database>, sha: string, viewer: Viewer): Promise<PictureHead | undefined> {
  const picture = db
    .selectFrom('media')
    .select(['extension', 'size_bytes'])
    .where('sha256', '=', Buffer.from(sha, 'hex'))
  if (viewer.is_admin) return picture.executeTakeFirst()
  return picture
    .where((eb) =>
      eb.or([
        eb.exists(liveCardsWith(eb)),
        eb.exists(liveSheetsWith(eb)),
        eb.exists(takenTestsWith(eb, viewer.id)),
        eb.exists(introductionsWith(eb, sha)),
        eb('created_by', '=', viewer.id),
        ...(viewer.is_author ? editedWith(eb, viewer.id).map(eb.exists) : []),
      ]),
    )
    .executeTakeFirst()
}

const BYTES_AT_ONCE = 32 * 1024

/**
 * Yields the bytes of a picture in pieces, because the driver converts all bytes of a statement without yielding.
 * @param sha SHA-256 in hex
 * @throws Error if the picture is deleted in the meantime
 */
export async function* readPicture(db: Kysely<Database>, sha: string, size: number): AsyncGenerator<Buffer> {
  for (let first = 0; first < size; first += BYTES_AT_ONCE) {
    const { piece } = await db
      .selectFrom('media')
      .select(sql<Buffer>`substring(bytes from ${first + 1}::integer for ${BYTES_AT_ONCE}::integer)`.as('piece'))
      .where('sha256', '=', Buffer.from(sha, 'hex'))
      .executeTakeFirstOrThrow()
    yield piece
  }
}

type Media = ExpressionBuilder<Database, 'media'>

function usesOf(eb: Media) {
  return eb.selectFrom('picture_uses').select('picture_uses.id').whereRef('picture_uses.sha256', '=', 'media.sha256')
}

function liveCardsWith(eb: Media) {
  return usesOf(eb)
    .innerJoin('cards', 'cards.id', 'picture_uses.card_id')
    .innerJoin('decks', 'decks.id', 'cards.deck_id')
    .where('is_current', '=', true)
    .where('cards.archived_at', 'is', null)
    .where('decks.archived_at', 'is', null)
}

function liveSheetsWith(eb: Media) {
  return usesOf(eb)
    .innerJoin('cheatsheets', 'cheatsheets.id', 'picture_uses.cheatsheet_id')
    .where('is_current', '=', true)
    .where('cheatsheets.archived_at', 'is', null)
}

/**
 * Selects the pictures of tests that the user has started, including pictures in correct answers. Learners get the
 * hashes of the pictures in correct answers only from the review of the attempt.
 */
function takenTestsWith(eb: Media, userId: number) {
  return usesOf(eb)
    .innerJoin('attempts', 'attempts.test_id', 'picture_uses.test_id')
    .where('attempts.user_id', '=', userId)
}

function introductionsWith(eb: Media, sha: string) {
  return usesOf(eb)
    .innerJoin('tests', 'tests.id', 'picture_uses.test_id')
    .innerJoin('test_versions', (join) =>
      join
        .onRef('test_versions.test_id', '=', 'tests.id')
        .onRef('test_versions.version', '=', 'tests.published_version'),
    )
    .where(IS_LIVE_TEST)
    .where(sql<boolean>`strpos(test_versions.definition ->> 'introduction', ${`media/${sha}`}) > 0`)
}

function editedWith(eb: Media, userId: number) {
  return [editedCardsWith(eb, userId), editedSheetsWith(eb, userId), editedTestsWith(eb, userId)]
}

function editedTestsWith(eb: Media, userId: number) {
  return usesOf(eb)
    .innerJoin('tests', 'tests.id', 'picture_uses.test_id')
    .innerJoin('source_editors', 'source_editors.source_id', 'tests.source_id')
    .where('source_editors.user_id', '=', userId)
}

function editedCardsWith(eb: Media, userId: number) {
  return usesOf(eb)
    .innerJoin('cards', 'cards.id', 'picture_uses.card_id')
    .innerJoin('imported_decks', 'imported_decks.deck_id', 'cards.deck_id')
    .innerJoin('source_editors', 'source_editors.source_id', 'imported_decks.source_id')
    .where('source_editors.user_id', '=', userId)
}

function editedSheetsWith(eb: Media, userId: number) {
  return usesOf(eb)
    .innerJoin('imported_cheatsheets', 'imported_cheatsheets.cheatsheet_id', 'picture_uses.cheatsheet_id')
    .innerJoin('source_editors', 'source_editors.source_id', 'imported_cheatsheets.source_id')
    .where('source_editors.user_id', '=', userId)
}

/** Returns those of the given hashes (SHA-256 in hex) for which a picture is stored. */
export async function findKeptPictures(db: Kysely<Database>, shas: readonly string[]): Promise<Set<string>> {
  const kept = await readInChunks(shas, (chunk) =>
    db
      .selectFrom('media')
      .select('sha256')
      .where('sha256', '=', ({ fn, val }) => fn.any(val(chunk.map((sha) => Buffer.from(sha, 'hex')))))
      .execute(),
  )
  return new Set(kept.map(({ sha256 }) => sha256.toString('hex')))
}

/** Returns the total size in bytes of the pictures that a user has uploaded, without the picture `sha`. */
export async function sumOwnPictures(db: Kysely<Database>, userId: number, sha = ''): Promise<number> {
  const { size } = await db
    .selectFrom('media')
    .select(({ fn, lit }) => fn.coalesce(fn.sum<number>('size_bytes'), lit(0)).as('size'))
    .where('created_by', '=', userId)
    .where('sha256', '<>', Buffer.from(sha, 'hex'))
    .executeTakeFirstOrThrow()
  return size
}

/** Returns the total size of all pictures in bytes. */
export async function sumPictures(db: Kysely<Database>): Promise<number> {
  const { size } = await db
    .selectFrom('media')
    .select(({ fn, lit }) => fn.coalesce(fn.sum<number>('size_bytes'), lit(0)).as('size'))
    .executeTakeFirstOrThrow()
  return size
}

export async function insertPicture(
  transaction: Transaction<Database>,
  { sha, extension, bytes }: Picture & { sha: string },
  userId: number | null = null,
): Promise<void> {
  await transaction
    .insertInto('media')
    .values({ sha256: Buffer.from(sha, 'hex'), extension, size_bytes: bytes.length, bytes, created_by: userId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Inserts a picture that a user uploads in the browser. If it is already stored, the user becomes its uploader and
 * `created_at` is set to now, so that it is not deleted before the user can insert it into a text.
 */
export async function upsertOwnPicture(
  transaction: Transaction<Database>,
  { sha, extension, bytes }: Picture & { sha: string },
  userId: number,
): Promise<void> {
  await transaction
    .insertInto('media')
    .values({ sha256: Buffer.from(sha, 'hex'), extension, size_bytes: bytes.length, bytes, created_by: userId })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ created_by: userId, created_at: sql`now()` }))
    .execute()
}

/** Number of days after which a picture that a user uploaded and that no text shows may be deleted */
const DAYS_FOR_WRITING = 7

/**
 * Deletes pictures that no card, sheet or test shows, not even in a superseded version, except those that a user
 * uploaded in the last `DAYS_FOR_WRITING` days. Returns the number of deleted pictures.
 */
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
