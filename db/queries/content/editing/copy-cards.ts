import { sql, type Transaction } from 'kysely'
import type { Database } from '../../../types.js'
import { listTexts } from '../card-texts.js'

// Raw SQL: one statement copies rows and gives them ids of their own.

const TEXTS = listTexts((column) => column)

/**
 * Copies cards of a deck, whose keys another deck lacks, into that deck as drafts with the same keys.
 * @param order sort order of the first copy
 * @returns ids of the copies, at most `limit`
 */
export async function copyCards(
  transaction: Transaction<Database>,
  { from, to, order, limit }: { from: number; to: number; order: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ card_id: number }>`
    with missing as (
      select cards.*, imported_cards.key, row_number() over (order by cards.sort_order, cards.id) as place
      from cards join imported_cards on imported_cards.card_id = cards.id
      where cards.deck_id = ${from} and cards.archived_at is null and not exists (
        select from imported_cards as own where own.deck_id = ${to} and own.key = imported_cards.key
      )
      order by cards.sort_order, cards.id limit ${limit}
    ),
    input as materialized (
      select nextval(pg_get_serial_sequence('cards', 'id'))::integer as id, ${TEXTS}, exercise, key,
        least(${order}::bigint + place - 1, 2147483647)::integer as sort_order
      from missing
    ),
    created as (
      insert into cards (id, deck_id, ${TEXTS}, exercise, sort_order, archived_at)
      select id, ${to}::integer, ${TEXTS}, exercise, sort_order, now() from input
    )
    insert into imported_cards (card_id, deck_id, key, draft)
    select id, ${to}::integer, key, true from input order by sort_order, id returning card_id`.execute(transaction)
  return rows.map(({ card_id }) => card_id)
}
