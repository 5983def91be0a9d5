import { type Kysely, type Selectable, sql } from 'kysely'
import type { Database, ReviewLogTable } from '../../types.js'

const ENTRY = [
  'id',
  'kind',
  'card_id',
  'deck_id',
  'rating',
  'studied_on',
  'created_at',
  'duration_ms',
  'before',
  'after',
  'undoes',
] as const

export interface LogEntry extends Pick<Selectable<ReviewLogTable>, (typeof ENTRY)[number]> {
  /** Null when a script has deleted the card. */
  question: string | null
  deck_slug: string | null
  is_undone: boolean
  /** False for a review that came too late to change the card's state. */
  applied: boolean
}

/**
 * The user's log, newest first; of one deck: what happened to cards while they belonged to it; of one card: all of it,
 * also when the card is archived or deleted.
 */
export async function listLog(
  db: Kysely<Database>,
  userId: number,
  { deckId, cardId }: { deckId?: number | undefined; cardId?: number | undefined },
  before: number | undefined,
  limit: number,
): Promise<LogEntry[]> {
  let page = db
    .selectFrom('review_log')
    .select(ENTRY)
    .select((log) => log('phase', 'is distinct from', 'late').$castTo<boolean>().as('applied'))
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(limit)
  if (deckId !== undefined) page = page.where('deck_id', '=', deckId)
  if (cardId !== undefined) page = page.where('card_id', '=', sql<number>`${cardId}::bigint`)
  if (before !== undefined) page = page.where('id', '<', before)
  // The rows are answered as they come: copying each in JavaScript costs 6 µs. Whether one was undone is no
  // join, since PostgreSQL would keep each of its answers for a second time that never comes.
  return db
    .selectFrom(page.as('log'))
    .leftJoin('cards', 'cards.id', 'log.card_id')
    .leftJoin('decks', 'decks.id', 'log.deck_id')
    .selectAll('log')
    .select(['cards.question', 'decks.slug as deck_slug'])
    .select(({ exists, selectFrom }) =>
      exists(selectFrom('review_log as undo').select('undo.id').whereRef('undo.undoes', '=', 'log.id'))
        .$castTo<boolean>()
        .as('is_undone'),
    )
    .orderBy('log.id', 'desc')
    .execute()
}
