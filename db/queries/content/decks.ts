import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'

export type Deck = Selectable<Database['decks']>

/** All columns by name: a prepared `select *` fails after another instance adds a column. */
const COLUMNS = [
  'id',
  'slug',
  'name',
  'description',
  'card_count',
  'sort_order',
  'created_at',
  'updated_at',
  'archived_at',
] as const

export function deckOrder(table: 'decks' | 'deck_counts'): RawBuilder<unknown> {
  return sql.raw(`${table}.sort_order, ${table}.name, ${table}.id`)
}

/**
 * Returns the live decks in order with the user's statistics, as the JSON string `{"decks":[…]}`: PostgreSQL writes the
 * string faster than fifty rows can be sent, parsed and serialised. The statement first aggregates the user's progress
 * through an index that contains the deck of each row (null for archived cards), and then joins the result with the
 * decks.
 * @param today calendar day as `YYYY-MM-DD`
 */
export async function listDecks(db: Kysely<Database>, userId: number, today: string): Promise<string> {
  const { rows } = await sql<{ json: string }>`
    select json_build_object('decks', coalesce(json_agg(summary), '[]'))::text as json
    from (
      select decks.id, slug, name, description, card_count,
        coalesce(reviewed, 0) as reviewed, coalesce(correct, 0) as correct, coalesce(due, 0) as due
      from decks
      left join (
        select deck_id,
          count(*) as reviewed,
          count(*) filter (where last_rating in ('easy', 'medium')) as correct,
          count(*) filter (where next_review <= ${today}::date) as due
        from card_progress
        where user_id = ${userId} and deck_id is not null
        group by deck_id
      ) as progress on progress.deck_id = decks.id
      where archived_at is null
      order by ${deckOrder('decks')}
    ) as summary`.execute(db)
  return rows[0]?.json ?? ''
}

export async function findDeckBySlug(db: Kysely<Database>, slug: string): Promise<Deck | undefined> {
  if (!isStorable(slug)) return undefined
  return db
    .selectFrom('decks')
    .select(COLUMNS)
    .where('slug', '=', slug)
    .where('archived_at', 'is', null)
    .executeTakeFirst()
}
