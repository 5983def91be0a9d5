import { type RawBuilder, sql } from 'kysely'
import { DEFAULT_SETTINGS, type ReviewSettings } from '../../src/review/settings.js'
import { isStorable } from '../../src/text.js'

export interface Scope {
  userId: number
  /** The calendar day as `YYYY-MM-DD`. */
  today: string
  /** All decks when it is undefined. */
  deckSlug: string | undefined
}

/** The learner's settings, or the defaults. */
export function settingsCte(userId: number): RawBuilder<ReviewSettings> {
  return sql`
    settings as (
      select coalesce(new_per_day, ${DEFAULT_SETTINGS.new_per_day}::integer) as new_per_day,
        coalesce(desired_retention, ${DEFAULT_SETTINGS.desired_retention}::double precision) as desired_retention,
        coalesce(maximum_interval, ${DEFAULT_SETTINGS.maximum_interval}::integer) as maximum_interval
      from (select) as always left join review_settings on user_id = ${userId}
    )`
}

/**
 * `settings`; `deck_counts`: one row a deck; `remaining`: one row, whose `decks` is 0 when there is no such deck. Everything
 * is counted from the user's rows and the decks' own `card_count`, never from the cards; `limit 1` keeps the planner
 * from merging a few suspended cards with everybody's progress.
 */
export function countCtes({ userId, today, deckSlug }: Scope): RawBuilder<unknown> {
  const inScope = deckSlug === undefined ? sql`true` : isStorable(deckSlug) ? sql`decks.slug = ${deckSlug}` : sql`false`
  return sql`
    ${settingsCte(userId)},
    introduced as (
      select coalesce(sum(case kind when 'review' then 1 else -1 end), 0) as cards
      from review_log
      where user_id = ${userId} and studied_on = ${today}::date and phase = 'new' and kind in ('review', 'undo')
    ),
    seen as (
      select deck_id, count(*) as cards, count(*) filter (where next_review <= ${today}::date) as due
      from card_progress
      where user_id = ${userId} and deck_id is not null
      group by deck_id
    ),
    suspended as (
      select card.deck_id, count(*) as cards,
        count(*) filter (where progress.id is null) as unseen,
        count(*) filter (where next_review <= ${today}::date) as due
      from suspended_cards
      cross join lateral (
        select deck_id from cards where id = suspended_cards.card_id and archived_at is null limit 1
      ) as card
      left join lateral (
        select id, next_review from card_progress
        where user_id = ${userId} and card_id = suspended_cards.card_id
        limit 1
      ) as progress on true
      where suspended_cards.user_id = ${userId}
      group by card.deck_id
    ),
    deck_counts as (
      select decks.id, decks.slug, decks.name, decks.sort_order,
        coalesce(seen.due, 0) - coalesce(suspended.due, 0) as due,
        card_count - coalesce(seen.cards, 0) - coalesce(suspended.unseen, 0) as unseen,
        coalesce(suspended.cards, 0) as suspended
      from decks
      left join seen on seen.deck_id = decks.id
      left join suspended on suspended.deck_id = decks.id
      where decks.archived_at is null and ${inScope}
    ),
    remaining as (
      select count(*)::integer as decks, coalesce(sum(due), 0)::integer as due,
        coalesce(sum(unseen), 0)::integer as unseen,
        ((select new_per_day from settings) - (select cards from introduced))::integer as new_allowed
      from deck_counts
    )`
}
