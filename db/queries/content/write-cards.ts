import { type Selectable, sql, type Transaction } from 'kysely'
import type { Exercise } from '../../../src/domain/questions/exercise.js'
import type { Database } from '../../types.js'

export interface CardInput
  extends Pick<Selectable<Database['cards']>, 'deck_id' | 'question' | 'answer' | 'level' | 'sort_order'> {
  exercise: Exercise | null
  isDraft: boolean
  key: string
  guid: string | null
  ord: number | null
}

export async function insertCards(transaction: Transaction<Database>, cards: CardInput[]): Promise<void> {
  await sql`
    with input as materialized (
      select nextval(pg_get_serial_sequence('cards', 'id'))::integer as id, input.*
      from unnest(
        ${cards.map((card) => card.deck_id)}::integer[], ${cards.map((card) => card.key)}::text[],
        ${cards.map((card) => card.question)}::text[], ${cards.map((card) => card.answer)}::text[],
        ${cards.map((card) => card.level)}::text[], ${cards.map((card) => card.sort_order)}::integer[],
        ${cards.map(({ exercise }) => jsonOf(exercise))}::text[], ${cards.map(({ isDraft }) => isDraft)}::boolean[],
        ${cards.map((card) => card.guid)}::text[], ${cards.map((card) => card.ord)}::integer[]
      ) as input (deck_id, key, question, answer, level, sort_order, exercise, draft, guid, ord)
    ),
    created as (
      insert into cards (id, deck_id, question, answer, level, sort_order, exercise, archived_at)
      select id, deck_id, question, answer, level, sort_order, exercise::jsonb, case when draft then now() end from input
    )
    insert into imported_cards (card_id, deck_id, key, guid, ord, draft)
    select id, deck_id, key, guid, ord, draft from input`.execute(transaction)
}

function jsonOf(exercise: Exercise | null): string | null {
  return exercise === null ? null : JSON.stringify(exercise)
}

export type CardUpdate = Omit<CardInput, 'key' | 'guid' | 'ord'> & {
  id: number
  /** Whether question, answer, level and exercise stay unchanged */
  keepsText: boolean
  keepsExercise: boolean
}

/** Updates cards and restores archived ones; drafts stay hidden from learners. */
export async function updateCards(transaction: Transaction<Database>, cards: CardUpdate[]): Promise<void> {
  const ids = cards.map(({ id }) => id)
  const drafts = cards.map(({ isDraft }) => isDraft)
  const kept = cards.map(({ keepsText }) => keepsText)
  await sql`
    update cards
    set deck_id = input.deck_id,
      question = case when keeps_text then cards.question else input.question end,
      answer = case when keeps_text then cards.answer else input.answer end,
      level = case when keeps_text then cards.level else input.level end,
      exercise = case when keeps_text or keeps_exercise then cards.exercise else input.exercise::jsonb end,
      sort_order = input.sort_order,
      archived_at = case when input.draft then coalesce(cards.archived_at, now()) end
    from unnest(
      ${ids}::integer[], ${cards.map((card) => card.deck_id)}::integer[],
      ${cards.map((card) => card.question)}::text[], ${cards.map((card) => card.answer)}::text[],
      ${cards.map((card) => card.level)}::text[], ${cards.map((card) => card.sort_order)}::integer[],
      ${cards.map(({ exercise }) => jsonOf(exercise))}::text[], ${drafts}::boolean[],
      ${kept}::boolean[], ${cards.map(({ keepsExercise }) => keepsExercise)}::boolean[]
    ) as input (id, deck_id, question, answer, level, sort_order, exercise, draft, keeps_text, keeps_exercise)
    where cards.id = input.id`.execute(transaction)
  // The ids occur twice, because with the join alone each batch would read the whole table.
  await sql`
    update imported_cards
    set draft = input.draft, draft_archived = false, edited = edited and keeps_text
    from unnest(${ids}::integer[], ${drafts}::boolean[], ${kept}::boolean[]) as input (id, draft, keeps_text)
    where card_id = input.id and card_id = any (${ids}::integer[])
      and (imported_cards.draft <> input.draft or draft_archived or (edited and not keeps_text))`.execute(transaction)
}

/** Changes the identities of cards; the new identities must not be in use. */
export async function renameCards(
  transaction: Transaction<Database>,
  cards: { id: number; deck_id: number; key: string }[],
): Promise<void> {
  await sql`
    update imported_cards set deck_id = input.deck_id, key = input.key
    from unnest(
      ${cards.map((card) => card.id)}::integer[], ${cards.map((card) => card.deck_id)}::integer[],
      ${cards.map((card) => card.key)}::text[]
    ) as input (id, deck_id, key)
    where card_id = input.id`.execute(transaction)
}

/**
 * Archives cards. Also overwrites the `archived_at` of a draft, because `restoreCards` compares it with the time when
 * the source was archived.
 */
export async function archiveCards(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  await transaction
    .updateTable('cards')
    .set({ archived_at: sql<Date>`now()` })
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('archived_at', 'is', null),
        exists(
          selectFrom('imported_cards')
            .select('card_id')
            .whereRef('card_id', '=', 'cards.id')
            .where('draft', '=', true)
            .where('draft_archived', '=', false),
        ),
      ]),
    )
    .execute()
  await transaction
    .updateTable('imported_cards')
    .set({ draft_archived: true })
    .where('card_id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where('draft', '=', true)
    .where('draft_archived', '=', false)
    .execute()
}
