import { type Kysely, type RawBuilder, sql } from 'kysely'
import { showGaps } from '../../../src/domain/questions/exercise.js'
import type { SchedulerSettings } from '../../../src/domain/review/review.js'
import type { Database } from '../../types.js'
import { CARD_COLUMNS, containsText } from '../content/card-texts.js'
import { deckOrder } from '../content/decks.js'
import { IS_SECRET_CARD } from '../content/visibility.js'
import { countCtes, deckRetention, type StudyScope, settingsCte, stateOf } from './progress.js'
import { isUnseen, noteOf, type StudyCard, type WithForm } from './queue.js'

// Raw SQL: the statements start with the shared CTEs of `progress.ts`, and keys are compared as rows.

export const CARD_STATES = ['new', 'due', 'learned', 'suspended'] as const

/** State of a card in lists. A suspended card has no other state; `learned` means reviewed and not due. */
export type CardStateName = (typeof CARD_STATES)[number]

export interface BrowsedCard extends StudyCard {
  state_name: CardStateName
}

export interface BrowsedCards {
  /** Undefined if the deck does not exist */
  cards: BrowsedCard[] | undefined
  /** Whether the card after which the page starts exists; true for the first page */
  is_cursor_known: boolean
}

interface Row extends Omit<BrowsedCard, 'card_id'>, WithForm {
  card_id: number | null
  decks: number
  is_cursor_known: boolean
  position: number | null
  sort_order: number | null
}

export interface CardFilter {
  state?: CardStateName | undefined
  /** Part of question or answer, case-insensitive and in any Unicode form */
  text?: string | undefined
}

/** Lower bound of sort orders and card ids */
const START = -(2 ** 31)

/**
 * Returns live cards in deck order after the card `after`, which may be archived. Reads a list of new cards, or of
 * cards in all states, along the index of the deck order, and only in decks that can contribute to the page. Reads a
 * list of another state from the user's rows in `suspended_cards` or `card_progress`. A text filter compares card by
 * card from the start of the page.
 */
export async function listCards(
  db: Kysely<Database>,
  scope: StudyScope,
  { state, text }: CardFilter,
  after: number | undefined,
  limit: number,
): Promise<BrowsedCards> {
  const { userId, today } = scope
  const holdsText = text === undefined ? undefined : containsText(text)
  const behindMark =
    after === undefined ? sql`true` : sql`(${deckOrder('deck_counts')}) >= (select deck_order, name, deck_id from mark)`
  const { rows } = await sql<Row>`
    with ${countCtes(scope)},
    mark as (
      select decks.sort_order as deck_order, name, deck_id, cards.sort_order, cards.id
      from cards join decks on decks.id = deck_id
      where cards.id = ${after ?? null}::bigint
    ),
    walk as (
      select deck_counts.id, row_number() over deck_order as position,
        coalesce(mark.sort_order, ${START}) as after_order, coalesce(mark.id, ${START}) as after_id,
        coalesce(sum(case when mark.id is null then ${deckSize(state)} else 0 end)
          over (deck_order rows between unbounded preceding and 1 preceding), 0) as cards_before
      from deck_counts
      join decks on decks.id = deck_counts.id
      left join mark on mark.deck_id = deck_counts.id
      where ${behindMark}
      window deck_order as (order by ${deckOrder('deck_counts')})
    ),
    page as (${pageOf(state, holdsText, userId, today, limit)})
    select remaining.decks, ${after === undefined ? sql`true` : sql`exists (select from mark)`} as is_cursor_known, item.*
    from remaining left join (
      select cards.id as card_id, ${CARD_COLUMNS}, exercise ->> 'form' as form,
        decks.slug as deck_slug, decks.name as deck_name, coalesce(imported_decks.lang, 'de') as deck_lang,
        case when progress.id is not null then ${stateOf('progress')} end as state,
        ${noteOf(userId, 'cards.id')} as note,
        ${stateName(today)} as state_name,
        position, cards.sort_order
      from page
      join cards on cards.id = page.id
      join decks on decks.id = cards.deck_id
      left join imported_decks on imported_decks.deck_id = decks.id
      left join card_progress as progress on progress.user_id = ${userId} and progress.card_id = cards.id
      left join suspended_cards on suspended_cards.user_id = ${userId} and suspended_cards.card_id = cards.id
    ) as item on true
    order by position, item.sort_order, card_id`.execute(db)
  const { decks, is_cursor_known } = rows[0] as Row
  if (scope.deckSlug !== undefined && decks === 0) return { cards: undefined, is_cursor_known }
  return {
    cards: rows.flatMap((row) =>
      row.card_id === null ? [] : [{ ...row, card_id: row.card_id, answer: showGaps(row.answer, row.form) }],
    ),
    is_cursor_known,
  }
}

/** Derives the state of a card from the rows `progress` and `suspended_cards` of the user, which may be missing. */
function stateName(today: string): RawBuilder<CardStateName> {
  return sql`case when suspended_cards.card_id is not null then 'suspended' when progress.id is null then 'new'
    when next_review <= ${today}::date then 'due' else 'learned' end`
}

/** Builds the number of cards that a whole deck contributes to a list of new cards, or of cards in all states. */
function deckSize(state: CardStateName | undefined): RawBuilder<unknown> {
  return state === 'new' ? sql`unseen` : sql`deck_counts.card_count`
}

function pageOf(
  state: CardStateName | undefined,
  holdsText: RawBuilder<boolean> | undefined,
  userId: number,
  today: string,
  limit: number,
): RawBuilder<unknown> {
  const isBehind = sql`(cards.sort_order, cards.id) > (after_order, after_id)`
  const behind = holdsText === undefined ? isBehind : sql`${isBehind} and ${holdsText}`
  // With a text filter, the number of matching cards per deck is unknown, so no deck is left out.
  const canFill = holdsText === undefined ? sql`cards_before < ${limit}` : sql`true`
  const inOrder = sql`order by position, sort_order, id limit ${limit}`
  const isSuspended = sql`exists (select from suspended_cards where user_id = ${userId} and card_id = cards.id)`
  if (state === 'suspended') {
    return sql`
      select cards.id, position, cards.sort_order
      from suspended_cards join cards on cards.id = card_id join walk on walk.id = deck_id
      where user_id = ${userId} and archived_at is null and ${behind} ${inOrder}`
  }
  if (state === 'due' || state === 'learned') {
    const isDue = sql`coalesce(next_review <= ${today}::date, false)`
    return sql`
      select cards.id, position, cards.sort_order
      from card_progress join cards on cards.id = card_id join walk on walk.id = card_progress.deck_id
      where user_id = ${userId} and ${state === 'due' ? isDue : sql`not ${isDue}`}
        and not ${isSuspended} and ${behind} ${inOrder}`
  }
  const isWanted =
    state === 'new'
      ? sql`${isUnseen(userId, sql`select id from walk where ${canFill}`)} and not ${isSuspended}`
      : sql`true`
  return sql`
    select card.id, position, card.sort_order
    from walk cross join lateral (
      select cards.id, cards.sort_order from cards
      where deck_id = walk.id and archived_at is null and ${behind} and ${isWanted}
      order by cards.sort_order, cards.id limit ${limit}
    ) as card
    where ${canFill} ${inOrder}`
}

export interface FoundCard extends BrowsedCard {
  /** Whether the card or its deck is archived */
  archived: boolean
  settings: SchedulerSettings
  /** Desired retention of the deck; null if the general setting of the learner applies */
  deck_retention: number | null
}

/**
 * Returns a card, archived or not, with the user's state; undefined if it does not exist or only editors may see it.
 */
export async function findCard(
  db: Kysely<Database>,
  userId: number,
  today: string,
  cardId: number,
): Promise<FoundCard | undefined> {
  const { rows } = await sql<FoundCard & WithForm>`
    with ${settingsCte(userId)}
    select cards.id as card_id, ${CARD_COLUMNS}, exercise ->> 'form' as form,
      decks.slug as deck_slug, decks.name as deck_name, coalesce(imported_decks.lang, 'de') as deck_lang,
      case when progress.id is not null then ${stateOf('progress')} end as state,
      ${stateName(today)} as state_name,
      cards.archived_at is not null or decks.archived_at is not null as archived,
      ${noteOf(userId, 'cards.id')} as note,
      to_json(settings) as settings, ${deckRetention(userId, 'decks.id')} as deck_retention
    from settings
    join cards on cards.id = ${cardId}
    join decks on decks.id = cards.deck_id
    left join imported_decks on imported_decks.deck_id = decks.id
    left join card_progress as progress on progress.user_id = ${userId} and progress.card_id = cards.id
    left join suspended_cards on suspended_cards.user_id = ${userId} and suspended_cards.card_id = cards.id
    where not ${IS_SECRET_CARD}`.execute(db)
  const [card] = rows
  return card && { ...card, answer: showGaps(card.answer, card.form) }
}

/** Suspends a live card for the user; returns false if the card is not live. */
export async function suspendCard(db: Kysely<Database>, userId: number, cardId: number): Promise<boolean> {
  const found = await db
    .with('card', (cte) =>
      cte
        .selectFrom('cards')
        .innerJoin('decks', 'decks.id', 'deck_id')
        .select('cards.id')
        .where('cards.id', '=', cardId)
        .where('cards.archived_at', 'is', null)
        .where('decks.archived_at', 'is', null)
        .forKeyShare('cards'),
    )
    .with('suspended', (cte) =>
      cte
        .insertInto('suspended_cards')
        .columns(['user_id', 'card_id'])
        .expression((eb) => eb.selectFrom('card').select([eb.val(userId).as('user_id'), 'card.id']))
        .onConflict((conflict) => conflict.doNothing()),
    )
    .selectFrom('card')
    .select('card.id')
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Stores the user's note on a live or archived card, or deletes it if the text is empty; returns false if the card does
 * not exist or only editors may see it.
 */
export async function writeNote(db: Kysely<Database>, userId: number, cardId: number, text: string): Promise<boolean> {
  const card = await db
    .selectFrom('cards')
    .select('id')
    .where('id', '=', cardId)
    .where(sql<boolean>`not ${IS_SECRET_CARD}`)
    .executeTakeFirst()
  if (card === undefined) return false
  if (text === '') {
    await db.deleteFrom('card_notes').where('user_id', '=', userId).where('card_id', '=', cardId).execute()
    return true
  }
  const row = { text, updated_at: sql<Date>`now()` }
  await db
    .insertInto('card_notes')
    .columns(['user_id', 'card_id', 'text'])
    .expression((eb) =>
      eb
        .selectFrom('cards')
        .select([eb.val(userId).as('user_id'), 'cards.id', eb.val(text).as('text')])
        .where('cards.id', '=', cardId)
        .forKeyShare(),
    )
    .onConflict((conflict) => conflict.columns(['user_id', 'card_id']).doUpdateSet(row))
    .execute()
  return true
}

export async function unsuspendCard(db: Kysely<Database>, userId: number, cardId: number): Promise<void> {
  await db.deleteFrom('suspended_cards').where('user_id', '=', userId).where('card_id', '=', cardId).execute()
}
