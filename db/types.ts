import type { ColumnType, Generated } from 'kysely'

/** An instant; PostgreSQL fills it when it is left out. */
type Timestamp = ColumnType<Date, Date | undefined, Date>
/** A calendar day as `YYYY-MM-DD`. */
type Day = ColumnType<string, string, string>
/** Kept by triggers of the database; the service never writes it. */
type Derived<T> = ColumnType<T, never, never>

export type Rating = 'again' | 'hard' | 'medium' | 'easy'

export interface UsersTable {
  id: Generated<number>
  username: string
  password_hash: string
  display_name: string
  is_admin: Generated<boolean>
  created_at: Timestamp
}

export interface SessionsTable {
  id_hash: Buffer
  user_id: number
  created_at: Timestamp
  expires_at: ColumnType<Date, Date, Date>
}

export interface DecksTable {
  id: Generated<number>
  slug: string
  name: string
  description: Generated<string>
  card_count: Derived<number>
  sort_order: Generated<number>
  created_at: Timestamp
  updated_at: Timestamp
  archived_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

export interface CardsTable {
  id: Generated<number>
  deck_id: number
  question: string
  answer: string
  level: Generated<string>
  sort_order: Generated<number>
  created_at: Timestamp
  updated_at: Timestamp
  archived_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

export interface CardProgressTable {
  id: Generated<number>
  user_id: number
  card_id: number
  /** The card's deck while the card is live, null while it is archived. */
  deck_id: Derived<number | null>
  last_rating: Rating | null
  next_review: Day | null
}

export interface QuizResultsTable {
  id: Generated<number>
  user_id: number
  deck_slug: Generated<string>
  quiz_type: Generated<string>
  score_percent: ColumnType<number, bigint | number, never>
  total_questions: number
  correct_answers: number
  created_at: Timestamp
}

export interface CheatsheetsTable {
  id: Generated<number>
  slug: string
  title: string
  category: Generated<string>
  content_md: string
  created_at: Timestamp
  updated_at: Timestamp
  archived_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

/** The positions 0 … card_count - 1 of a deck's live cards, in no particular order. */
export interface CardPositionsTable {
  deck_id: Derived<number>
  position: Derived<number>
  card_id: Derived<number>
}

/** The distinct answers of live cards in live decks, at the positions 0 … total - 1. */
export interface DistinctAnswersTable {
  answer_hash: Derived<Buffer>
  position: Derived<number>
  card_count: Derived<number>
  option_text: Derived<string>
}

/** One row: the number of distinct answers. */
export interface DistinctAnswerTotalsTable {
  id: Derived<boolean>
  total: Derived<number>
}

/** The decks that a content file describes, or described until it was archived. */
export interface ImportedDecksTable {
  deck_id: number
}

/** Which row a card of a content file became: identity is (deck, key). */
export interface ImportedCardsTable {
  card_id: number
  deck_id: number
  key: string
}

export interface ImportedCheatsheetsTable {
  cheatsheet_id: number
}

export interface Database {
  users: UsersTable
  sessions: SessionsTable
  decks: DecksTable
  cards: CardsTable
  card_progress: CardProgressTable
  quiz_results: QuizResultsTable
  cheatsheets: CheatsheetsTable
  card_positions: CardPositionsTable
  distinct_answers: DistinctAnswersTable
  distinct_answer_totals: DistinctAnswerTotalsTable
  imported_decks: ImportedDecksTable
  imported_cards: ImportedCardsTable
  imported_cheatsheets: ImportedCheatsheetsTable
}
