import { sql } from 'kysely'

/**
 * Whether a card is a draft or belongs to a pool, so that learners must never see it. Only responses that include
 * archived cards need this condition: elsewhere `archived_at` of the card or its deck hides such cards. The statement
 * must have the table `cards`.
 */
export const IS_SECRET_CARD = sql<boolean>`(
  exists (select from imported_cards where imported_cards.card_id = cards.id and draft)
  or exists (select from imported_decks where imported_decks.deck_id = cards.deck_id and tests_only))`

/**
 * Whether a deck is not archived for editors. A pool always has `archived_at`; `pool_archived` tells whether an editor
 * has archived it. The statement must have the tables `decks` and `imported_decks`, which may be left-joined.
 */
export const IS_KEPT_DECK = sql<boolean>`(case when tests_only then not pool_archived else decks.archived_at is null end)`

/**
 * Whether neither a test nor its source is archived. A statement for learners must also join the published version, so
 * that it omits unpublished tests.
 */
export const IS_LIVE_TEST = sql<boolean>`(
  tests.archived_at is null
  and not exists (select from content_sources where id = tests.source_id and archived_at is not null))`
