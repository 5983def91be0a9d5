import { type Kysely, sql } from 'kysely'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { deckOrder } from '../content/decks.js'
import { countCtes, maturityCtes, type StudyScope } from './progress.js'

// Raw SQL: the statements start with the shared CTEs of `progress.ts`, and switching a deck writes two tables.

/** A deck with a learner's progress; each card is either unseen, young, mature or suspended. */
export interface StudiedDeck {
  slug: string
  name: string
  lang: string
  /** Slug of the original; null unless the deck is a variant */
  translation_of: string | null
  /** Whether no other variant is in the learner's language or chosen by the learner */
  preferred: boolean
  /** Whether the queue of all decks includes the deck */
  active: boolean
  /** Number of due cards in the queue of this deck alone, even if the deck is inactive */
  due: number
  /** Number of new cards in the queue of this deck alone, at most as many as today's limit still allows */
  new: number
  cards: number
  young: number
  mature: number
  suspended: number
  unseen: number
  /** The learner's desired retention of the deck; null if the author's or the general setting applies */
  desired_retention: number | null
  /** The author's desired retention of the deck; null if there is none */
  default_retention: number | null
}

export async function listStudiedDecks(db: Kysely<Database>, scope: StudyScope): Promise<StudiedDeck[]> {
  const { rows } = await sql<StudiedDeck>`
    with ${countCtes(scope)}, ${maturityCtes(scope.userId)}
    select slug, name, coalesce(lang, 'de') as lang,
      case when translation_of is not null then (
        select original.slug from decks as original where original.id = translation_of and archived_at is null
      ) end as translation_of,
      is_preferred as preferred, is_active as active, due::integer, greatest(least(unseen - put_off, new_allowed), 0)::integer as new,
      card_count as cards, coalesce(young, 0)::integer as young, coalesce(mature, 0)::integer as mature,
      suspended::integer, unseen::integer,
      mine.desired_retention, usual.desired_retention as default_retention
    from deck_counts
    left join (
      select deck_id, lang, translation_of from imported_decks where lang <> 'de' or translation_of is not null
    ) as marks on marks.deck_id = deck_counts.id
    left join deck_retentions as mine on mine.user_id = ${scope.userId} and mine.deck_id = deck_counts.id
    left join deck_defaults as usual on usual.deck_id = deck_counts.id
    cross join (select new_allowed from remaining) as remaining
    left join maturity on maturity.deck_id = deck_counts.id
    order by ${deckOrder('deck_counts')}`.execute(db)
  return rows
}

/** Activates or deactivates a deck, with all of its variants; returns false if the deck does not exist. */
export async function switchDeck(
  db: Kysely<Database>,
  userId: number,
  slug: string,
  isActive: boolean,
): Promise<boolean> {
  if (!isStorable(slug)) return false
  const [added, removed] = isActive ? ['chosen_decks', 'inactive_decks'] : ['inactive_decks', 'chosen_decks']
  // A deck that is active by default needs no row in `chosen_decks`.
  const isStored = isActive ? sql`exists (select from offered_decks where deck_id = deck.id)` : sql`true`
  // The rows of a group belong to its original.
  const { rows } = await sql`
    with deck as (
      select original.id
      from decks
      left join imported_decks on imported_decks.deck_id = decks.id
      join decks as original on original.id = coalesce(imported_decks.translation_of, decks.id)
      where decks.slug = ${slug} and decks.archived_at is null
      for key share of decks, original
    ),
    removed as (delete from ${sql.table(removed)} where user_id = ${userId} and deck_id in (select id from deck)),
    added as (
      insert into ${sql.table(added)} (user_id, deck_id)
      select ${userId}::integer, id from deck where ${isStored} on conflict do nothing
    )
    select id from deck`.execute(db)
  return rows.length > 0
}

/** Sets or, with null, clears the learner's desired retention of a live deck; returns false if it does not exist. */
export async function setDeckRetention(
  db: Kysely<Database>,
  userId: number,
  slug: string,
  retention: number | null,
): Promise<boolean> {
  if (!isStorable(slug)) return false
  const deck = await db
    .selectFrom('decks')
    .select('id')
    .where('slug', '=', slug)
    .where('archived_at', 'is', null)
    .executeTakeFirst()
  if (deck === undefined) return false
  if (retention === null) {
    await db.deleteFrom('deck_retentions').where('user_id', '=', userId).where('deck_id', '=', deck.id).execute()
    return true
  }
  await db
    .insertInto('deck_retentions')
    .columns(['user_id', 'deck_id', 'desired_retention'])
    .expression((eb) =>
      eb
        .selectFrom('decks')
        .select([eb.val(userId).as('user_id'), 'decks.id', eb.val(retention).as('desired_retention')])
        .where('decks.id', '=', deck.id)
        .forKeyShare(),
    )
    .onConflict((conflict) => conflict.columns(['user_id', 'deck_id']).doUpdateSet({ desired_retention: retention }))
    .execute()
  return true
}
