import { sql, type Transaction } from 'kysely'
import type { CardTexts } from '../../../../src/domain/content/editing/card.js'
import type { Database } from '../../../types.js'
import type { StoredCard } from './cards.js'
import { marksOf } from './state.js'

/** A card to create. */
export interface NewCard extends CardTexts {
  deck_id: number
  draft: boolean
  key: string
  client_id: string
}

/** Returns the id of the card that a client has created. */
export async function findCardOfClient(
  transaction: Transaction<Database>,
  clientId: string,
): Promise<{ id: number; source_id: number | null } | undefined> {
  return transaction
    .selectFrom('imported_cards')
    .innerJoin('cards', 'cards.id', 'card_id')
    .leftJoin('imported_decks', 'imported_decks.deck_id', 'cards.deck_id')
    .select(['cards.id', 'source_id'])
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}

/** Returns the sort order behind all cards of a deck, archived ones too. */
export async function findEnd(transaction: Transaction<Database>, deckId: number): Promise<number> {
  const last = (isHidden: boolean) =>
    transaction
      .selectFrom('cards')
      .select('sort_order')
      .where('deck_id', '=', deckId)
      .where('archived_at', isHidden ? 'is not' : 'is', null)
      .orderBy('sort_order', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
  const { end } = await transaction
    .selectNoFrom(({ fn, val }) => fn<number>('greatest', [last(false), last(true), val(0)]).as('end'))
    .executeTakeFirstOrThrow()
  return Math.min(end + 1, 2 ** 31 - 1)
}

/** Returns which of the keys are taken in a deck. */
export async function findTakenKeys(
  transaction: Transaction<Database>,
  deckId: number,
  keys: readonly string[],
): Promise<Set<string>> {
  const rows = await transaction
    .selectFrom('imported_cards')
    .select('key')
    .where('deck_id', '=', deckId)
    .where('key', '=', ({ fn, val }) => fn.any(val(keys)))
    .execute()
  return new Set(rows.map(({ key }) => key))
}

/** Creates a card with its identity and returns its id. */
export async function insertCard(
  transaction: Transaction<Database>,
  { key, client_id, draft, exercise, ...card }: NewCard & { sort_order: number },
): Promise<number> {
  const { archived_at } = marksOf({ archived: false, draft })
  const { id } = await transaction
    .insertInto('cards')
    .values({
      ...card,
      exercise: exercise && JSON.stringify(exercise),
      archived_at: archived_at === null ? null : sql<Date>`now()`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await transaction
    .insertInto('imported_cards')
    .values({ card_id: id, deck_id: card.deck_id, key, draft, client_id })
    .execute()
  return id
}

/** Updates cards to the given state. One parameter holds all rows, so that the statement stays prepared. */
export async function updateCards(transaction: Transaction<Database>, cards: readonly StoredCard[]): Promise<void> {
  const rows = cards.map(({ archived, draft, ...card }) => ({ ...card, is_hidden: archived || draft }))
  await sql`
    update cards
    set deck_id = input.deck_id, question = input.question, answer = input.answer, level = input.level,
      exercise = input.exercise, sort_order = input.sort_order,
      archived_at = case when is_hidden then coalesce(archived_at, now()) end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (id integer, deck_id integer, question text,
      answer text, level text, exercise jsonb, sort_order integer, is_hidden boolean)
    where cards.id = input.id`.execute(transaction)
}

/** Updates the identities and marks of cards. */
export async function updateIdentities(
  transaction: Transaction<Database>,
  cards: readonly StoredCard[],
): Promise<void> {
  const rows = cards.map(({ id, identity_deck_id, key, archived, draft, edited }) => ({
    ...{ id, deck_id: identity_deck_id, key, draft, edited },
    draft_archived: archived && draft,
  }))
  await sql`
    update imported_cards
    set deck_id = input.deck_id, key = input.key, draft = input.draft, draft_archived = input.draft_archived,
      edited = input.edited
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (id integer, deck_id integer, key text,
      draft boolean, draft_archived boolean, edited boolean)
    where card_id = input.id`.execute(transaction)
}

/**
 * Places a card before another one of its deck, or last, and numbers the cards between the old and the new place.
 * @param before null for the end
 */
export async function placeCard(
  transaction: Transaction<Database>,
  card: { id: number; deck_id: number },
  before: number | null,
): Promise<void> {
  await sql`
    with placed as (
      select id, sort_order as former, row_number() over (order by sort_order, id) as place
      from cards where deck_id = ${card.deck_id}
    ),
    numbered as (
      select id, former, (row_number() over (
        order by case
          when id = ${card.id}
            then coalesce((select place from placed where id = ${before}::integer) - 0.5, 'infinity'::double precision)
          else place end
      ))::integer as place
      from placed
    )
    update cards set sort_order = place from numbered where cards.id = numbered.id and former <> place
    `.execute(transaction)
}
