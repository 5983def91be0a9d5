import { sql } from 'kysely'

/**
 * Whether a card is a draft or belongs to a pool, so that learners must not see it, not even as archived. What learners
 * see has no `archived_at`, on the card and its deck; this is for the responses that also show archived cards. The
 * statement has the table `cards`.
 */
export const IS_SECRET_CARD = sql<boolean>`(
  exists (select from imported_cards where imported_cards.card_id = cards.id and draft)
  or exists (select from imported_decks where imported_decks.deck_id = cards.deck_id and tests_only))`

/**
 * Whether editors work with a deck: it is not archived. A pool has `archived_at` always, and `pool_archived` once an
 * editor has archived it. The statement has the tables `decks` and `imported_decks`, whose columns may be null.
 */
export const IS_KEPT_DECK = sql<boolean>`(case when tests_only then not pool_archived else decks.archived_at is null end)`

/** Whether learners see a test: neither it nor its source is archived. The statement has its published version. */
export const IS_LIVE_TEST = sql<boolean>`(
  tests.archived_at is null
  and not exists (select from content_sources where id = tests.source_id and archived_at is not null))`
