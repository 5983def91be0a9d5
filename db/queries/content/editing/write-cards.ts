import { sql, type Transaction } from 'kysely'
import type { CardTexts } from '../../../../src/domain/content/card-texts.js'
import type { Database } from '../../../types.js'
import { listTexts } from '../card-texts.js'
import type { EditableCard } from './cards.js'
import { visibilityColumns } from './state.js'

// Raw SQL: rows come from JSON (`jsonb_to_recordset`), and places are computed by window functions.

export interface NewCard extends CardTexts {
  deck_id: number
  draft: boolean
  key: string
  client_id: string
}

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

export async function findNextSortOrder(transaction: Transaction<Database>, deckId: number): Promise<number> {
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

export async function insertCard(
  transaction: Transaction<Database>,
  { key, client_id, draft, exercise, ...card }: NewCard & { sort_order: number },
): Promise<number> {
  const { archived_at } = visibilityColumns({ archived: false, draft })
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

/** One parameter holds all rows, so that the statement stays prepared. */
export async function updateEditedCards(
  transaction: Transaction<Database>,
  cards: readonly EditableCard[],
): Promise<void> {
  const rows = cards.map(({ archived, draft, ...card }) => ({ ...card, is_hidden: archived || draft }))
  await sql`
    update cards
    set deck_id = input.deck_id, ${listTexts((column) => sql`${column} = input.${column}`)},
      exercise = input.exercise, sort_order = input.sort_order,
      archived_at = case when is_hidden then coalesce(archived_at, now()) end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (id integer, deck_id integer,
      ${listTexts((column) => sql`${column} text`)}, exercise jsonb, sort_order integer, is_hidden boolean)
    where cards.id = input.id`.execute(transaction)
}

export async function updateIdentities(
  transaction: Transaction<Database>,
  cards: readonly EditableCard[],
): Promise<void> {
  const rows = cards.map(({ id, identity_deck_id, key, archived, draft, edited }) => ({
    id,
    deck_id: identity_deck_id,
    key,
    draft,
    edited,
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
 * Distance between sort orders after a deck is renumbered. It is large enough to place about ten cards in succession
 * before the same card without another renumbering.
 */
const STEP = 1_000

/**
 * Places a card before another card of its deck, or last. Renumbers all cards of the deck only if no sort order is free
 * between the neighbours, because each update of a card runs all its triggers.
 * @param before id of the next card; null for the end
 */
export async function placeCard(
  transaction: Transaction<Database>,
  card: { id: number; deck_id: number },
  before: number | null,
): Promise<void> {
  const next = sql`
    select sort_order::bigint as place, id from cards where id = ${before}::integer
    union all
    select 2147483648, 0 where ${before}::integer is null`
  // Uses a union with both conditions on archived_at, because each condition has its own partial index.
  const deck = sql`
    select id, sort_order from cards where deck_id = ${card.deck_id} and archived_at is null
    union all
    select id, sort_order from cards where deck_id = ${card.deck_id} and archived_at is not null`
  const { numAffectedRows } = await sql`
    with next as (${next}),
    previous as (
      select max(deck.sort_order)::bigint as place from (${deck}) as deck, next
      where (deck.sort_order, deck.id) < (next.place, next.id) and deck.id <> ${card.id}
    ),
    bounds as (
      select coalesce(previous.place, greatest(least(next.place - ${2 * STEP}, 0), -2147483649)) as lower, next.place as upper
      from previous, next
    )
    update cards set sort_order = (lower + least(upper, lower + ${2 * STEP})) / 2
    from bounds where id = ${card.id} and upper - lower > 1`.execute(transaction)
  if (numAffectedRows === 1n) return
  await sql`
    with numbered as (
      select deck.id, row_number() over (
        order by case when deck.id = ${card.id} then next.place else deck.sort_order end,
          case when deck.id = ${card.id} then next.id else deck.id end, deck.id <> ${card.id}
      ) * ${STEP} as place
      from (${deck}) as deck, (${next}) as next
    )
    update cards set sort_order = place from numbered where cards.id = numbered.id`.execute(transaction)
}
