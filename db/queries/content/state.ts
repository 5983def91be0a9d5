import { type Kysely, type Selectable, sql } from 'kysely'
import type { ImportStats } from '../../../src/domain/content/plan/types.js'
import type { Fault } from '../../../src/domain/content/types.js'
import { toStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { IS_KEPT_DECK } from './visibility.js'

// Raw SQL: the numbers are aggregates of different tables in one row.

export interface ImportOutcome
  extends Pick<Selectable<Database['last_import']>, 'actor' | 'via' | 'outcome' | 'error'> {
  stats: ImportStats | null
  errors: Fault[]
}

/**
 * Stores the outcome of an import. Must be called in the transaction of the import, or after the import was refused.
 */
export async function saveLastImport(db: Kysely<Database>, outcome: ImportOutcome): Promise<void> {
  const { stats, errors, ...rest } = outcome
  const row = { ...rest, stats: stats && toJson(stats), errors: toJson(errors) }
  await db
    .insertInto('last_import')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...row, at: sql`now()` }))
    .execute()
}

/**
 * Converts to JSON. Replaces characters that PostgreSQL cannot store; messages about faults may quote such characters
 * from files.
 */
function toJson(value: object): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'string' ? toStorable(part) : part))
}

export interface LastImport extends Omit<ImportOutcome, 'actor'> {
  at: Date
  by: string | null
  /** Display name of `by`; null if there is no such account */
  by_name: string | null
}

export interface ContentNumbers {
  decks: number
  cards: number
  cheatsheets: number
}

export interface ArchivedDeck {
  slug: string
  name: string
  archived_at: Date
}

export async function findLastImport(db: Kysely<Database>): Promise<LastImport | undefined> {
  const row = await db
    .selectFrom('last_import')
    .leftJoin('users', 'username', 'actor')
    .select(['at', 'actor as by', 'display_name as by_name', 'via', 'outcome', 'error', 'stats', 'errors'])
    .executeTakeFirst()
  return row as LastImport | undefined
}

export async function countContent(db: Kysely<Database>): Promise<ContentNumbers> {
  const { rows } = await sql<ContentNumbers>`
    select count(*) as decks, coalesce(sum(card_count), 0)::integer as cards,
      (select count(*) from cheatsheets where archived_at is null) as cheatsheets
    from decks where archived_at is null`.execute(db)
  return rows[0] as ContentNumbers
}

/** Omits pools whose `pool_archived` is not set. */
export async function listArchivedDecks(db: Kysely<Database>): Promise<ArchivedDeck[]> {
  return db
    .selectFrom('decks')
    .leftJoin('imported_decks', 'deck_id', 'decks.id')
    .select(['slug', 'name', 'archived_at'])
    .where('archived_at', 'is not', null)
    .where((eb) => eb.not(IS_KEPT_DECK))
    .$narrowType<{ archived_at: Date }>()
    .orderBy('archived_at', 'desc')
    .orderBy('decks.id')
    .execute()
}
