import { type Kysely, sql } from 'kysely'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { deckOrder } from '../content/decks.js'
import { countCtes, maturityCtes, type Scope } from './progress.js'

/** A deck as its learner studies it; a card is either unseen, young, mature or suspended. */
export interface StudiedDeck {
  slug: string
  name: string
  /** Whether the queue of all decks shows its cards. */
  active: boolean
  /** What the deck's own queue counts, whether it is on or off. */
  due: number
  new: number
  cards: number
  young: number
  mature: number
  suspended: number
  unseen: number
}

/** The live decks in their order, or only the one of the scope. */
export async function listStudiedDecks(db: Kysely<Database>, scope: Scope): Promise<StudiedDeck[]> {
  const { rows } = await sql<StudiedDeck>`
    with ${countCtes(scope)}, ${maturityCtes(scope.userId)}
    select slug, name, is_active as active, due::integer, greatest(least(unseen, new_allowed), 0)::integer as new,
      card_count as cards, coalesce(young, 0)::integer as young, coalesce(mature, 0)::integer as mature,
      suspended::integer, unseen::integer
    from deck_counts
    cross join (select new_allowed from remaining) as remaining
    left join maturity on maturity.deck_id = deck_counts.id
    order by ${deckOrder('deck_counts')}`.execute(db)
  return rows
}

/** Switches a live deck on or off for the user; false when there is no such deck. */
export async function switchDeck(
  db: Kysely<Database>,
  userId: number,
  slug: string,
  isActive: boolean,
): Promise<boolean> {
  if (!isStorable(slug)) return false
  const changed = isActive
    ? sql`delete from inactive_decks where user_id = ${userId} and deck_id in (select id from deck)`
    : sql`insert into inactive_decks (user_id, deck_id) select ${userId}::integer, id from deck on conflict do nothing`
  const { rows } = await sql`
    with deck as (select id from decks where slug = ${slug} and archived_at is null for key share),
    changed as (${changed})
    select id from deck`.execute(db)
  return rows.length > 0
}
