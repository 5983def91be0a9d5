import { type Kysely, sql } from 'kysely'
import type { CardState, Rating } from '../../../src/domain/review/review.js'
import type { Database } from '../../types.js'

export interface LogEntry {
  id: number
  kind: 'review' | 'undo' | 'reset'
  card_id: number
  /** Null when a script has deleted the card. */
  question: string | null
  deck_slug: string | null
  rating: Rating | null
  studied_on: string
  created_at: Date
  duration_ms: number | null
  before: CardState | null
  after: CardState | null
  is_undone: boolean
  /** Of an undo: the review that it took back. */
  undoes: number | null
}

/** The user's log, newest first; of one deck: what happened to cards while they belonged to it. */
export async function listLog(
  db: Kysely<Database>,
  userId: number,
  deckId: number | undefined,
  before: number | undefined,
  limit: number,
): Promise<LogEntry[]> {
  const inDeck = deckId === undefined ? sql`true` : sql`log.deck_id = ${deckId}`
  const isOlder = before === undefined ? sql`true` : sql`log.id < ${before}`
  const { rows } = await sql<LogEntry>`
    select log.id, kind, card_id, question, slug as deck_slug, rating, studied_on, log.created_at, duration_ms,
      before, after, undoes, exists (select from review_log as undo where undo.undoes = log.id) as is_undone
    from (
      select * from review_log as log where user_id = ${userId} and ${inDeck} and ${isOlder}
      order by id desc limit ${limit}
    ) as log
    left join cards on cards.id = card_id
    left join decks on decks.id = log.deck_id
    order by log.id desc`.execute(db)
  return rows
}
