import { type Kysely, type Selectable, sql } from 'kysely'
import type { Database } from '../../types.js'
import { IS_SECRET_CARD } from '../content/visibility.js'

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

export interface LogEntry extends Pick<Selectable<Database['review_log']>, (typeof ENTRY)[number]> {
  /** Null if the card has been deleted, or if only editors may see it */
  question: string | null
  deck_slug: string | null
  is_undone: boolean
  /** False for an entry with the phase `late`, which left the card's state unchanged */
  applied: boolean
}

/**
 * Returns the user's log, newest first. With `deckId`, returns only entries written while the card was in that deck.
 * With `cardId`, returns only entries of that card, even if the card is archived or deleted.
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
  // Returns the rows without copying them, because copying a row takes 6 µs. The undo state is a subquery, because
  // PostgreSQL would cache the results of a join although no id occurs twice.
  return db
    .selectFrom(page.as('log'))
    .leftJoin('cards', 'cards.id', 'log.card_id')
    .leftJoin('decks', 'decks.id', 'log.deck_id')
    .selectAll('log')
    .select('decks.slug as deck_slug')
    .select(sql<string | null>`case when not ${IS_SECRET_CARD} then cards.question end`.as('question'))
    .select(({ exists, selectFrom }) =>
      exists(selectFrom('review_log as undo').select('undo.id').whereRef('undo.undoes', '=', 'log.id'))
        .$castTo<boolean>()
        .as('is_undone'),
    )
    .orderBy('log.id', 'desc')
    .execute()
}
