import { type Kysely, sql, type Transaction } from 'kysely'
import type { Moment } from '../../../src/domain/time/calendar.js'
import type { Database } from '../../types.js'
import { INTERVAL, stateOf } from '../review/progress.js'

// Raw SQL: the statements move and delete progress in CTEs, with `distinct on` and `lateral`.

/** Returns the number of learners by card. Cards without learners are missing. */
export async function countLearners(db: Kysely<Database>, cardIds: number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('card_progress')
    .select(({ fn }) => ['card_id', fn.countAll<number>().as('learners')])
    .where('card_id', '=', ({ fn, val }) => fn.any(val(cardIds)))
    .groupBy('card_id')
    .execute()
  return new Map(rows.map(({ card_id, learners }) => [card_id, learners]))
}

/**
 * Transfers progress and suspension from cards (`from`) to their successors (`to`) for learners without progress on the
 * successor. If several cards have the same successor, a learner gets the state of the first card on which the learner
 * has progress, or else of the first suspended card. Progress that is not transferred stays with the old cards. Deletes
 * the identities of the old cards, so that the transfer happens only once. The review log is unchanged.
 */
export async function transferProgress(
  transaction: Transaction<Database>,
  pairs: { from: number; to: number }[],
): Promise<void> {
  const [from, to] = [pairs.map((pair) => pair.from), pairs.map((pair) => pair.to)]
  const cardPairs = sql`unnest(${from}::integer[], ${to}::integer[]) with ordinality as pair (old_id, new_id, place)`
  // Locks the cards before their progress, as reviews do, so that a concurrent review cannot cause a deadlock.
  await transaction
    .selectFrom('cards')
    .select('id')
    .where('id', '=', ({ fn, val }) => fn.any(val([...from, ...to])))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  await sql`
    with transfers as materialized (
      select distinct on (old.user_id, new_id) old.user_id, old_id, new_id, old.progress_id, old.is_suspended
      from ${cardPairs} cross join lateral (
        select user_id, max(progress_id) as progress_id, bool_or(progress_id is null) as is_suspended
        from (
          select user_id, id as progress_id from card_progress where card_id = old_id
          union all
          select user_id, null from suspended_cards where card_id = old_id
        ) as had
        group by user_id
      ) as old
      where not exists (
        select from card_progress as new where new.user_id = old.user_id and new.card_id = new_id
      )
      order by old.user_id, new_id, (old.progress_id is null), place
    ),
    released as (
      delete from suspended_cards using transfers
      where suspended_cards.user_id = transfers.user_id and suspended_cards.card_id = transfers.old_id and is_suspended
    ),
    suspended as (
      insert into suspended_cards (user_id, card_id) select user_id, new_id from transfers where is_suspended
      on conflict do nothing
    )
    update card_progress set card_id = new_id from transfers where id = progress_id`.execute(transaction)
  await transaction
    .deleteFrom('imported_cards')
    .where('card_id', '=', ({ fn, val }) => fn.any(val(from)))
    .execute()
}

export async function findDeckSlugOfCard(db: Kysely<Database>, cardId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('cards')
    .innerJoin('decks', 'decks.id', 'deck_id')
    .select('slug')
    .where('cards.id', '=', cardId)
    .executeTakeFirst()
  return row?.slug
}

/**
 * Deletes the progress of all learners of a card and logs a reset for each of them, as a reset by the learner does.
 * Locks the learners first, in the order of their ids, because a review locks its learner before the card.
 * @returns the number of learners whose progress was deleted
 */
export async function resetProgressOfAll(
  transaction: Transaction<Database>,
  cardId: number,
  { at, today }: Moment,
): Promise<number> {
  await transaction
    .selectFrom('users')
    .select('id')
    .where('id', 'in', ({ selectFrom }) => selectFrom('card_progress').select('user_id').where('card_id', '=', cardId))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const { rows } = await sql<{ learners: number }>`
    with progress as (
      delete from card_progress where card_id = ${cardId} returning *
    ),
    entries as (
      insert into review_log (user_id, card_id, deck_id, kind, previous_rating, interval_days, studied_on, created_at,
        before, answer)
      select user_id, card_id, (select deck_id from cards where id = card_id), 'reset', last_rating,
        ${INTERVAL}, ${today}::date, ${at}::timestamptz, ${stateOf('progress')}, '{}'
      from progress
    )
    select count(*) as learners from progress`.execute(transaction)
  return rows[0]?.learners ?? 0
}
