import { sql } from 'kysely'

/**
 * Whether a card is a draft or belongs to a pool, so that learners must not see it, not even as archived. What learners
 * see has no `archived_at`, on the card and its deck; this is for the responses that also show archived cards. The
 * statement has the table `cards`.
 */
export const IS_SECRET_CARD = sql<boolean>`(
  exists (select from imported_cards where imported_cards.card_id = cards.id and draft)
  or exists (select from imported_decks where imported_decks.deck_id = cards.deck_id and tests_only))`

/** Whether learners see a test: neither it nor its source is archived. The statement has its published version. */
export const IS_LIVE_TEST = sql<boolean>`(
  tests.archived_at is null
  and not exists (select from content_sources where id = tests.source_id and archived_at is not null))`
