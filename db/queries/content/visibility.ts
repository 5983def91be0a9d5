import { sql } from 'kysely'

/**
 * Whether a card is a draft or in a pool. Learners may see such a card only as a question of a test. Only responses
 * that include archived cards need this condition: elsewhere `archived_at` of the card or its deck hides such cards.
 * The statement must have the table `cards`.
 */
export const IS_SECRET_CARD = sql<boolean>`(
  exists (select from imported_cards where imported_cards.card_id = cards.id and draft)
  or exists (select from imported_decks where imported_decks.deck_id = cards.deck_id and tests_only))`

/**
 * Whether a deck is live, or a pool is not archived: a pool always has `archived_at`, so `pool_archived` decides. The
 * statement must have the tables `decks` and `imported_decks`; `imported_decks` may be left-joined.
 */
export const IS_KEPT_DECK = sql<boolean>`(case when tests_only then not pool_archived else decks.archived_at is null end)`

/**
 * Whether neither a test nor its source is archived. A statement for learners must also join the published version, so
 * that it omits unpublished tests.
 */
export const IS_LIVE_TEST = sql<boolean>`(
  tests.archived_at is null
  and not exists (select from content_sources where id = tests.source_id and archived_at is not null))`
