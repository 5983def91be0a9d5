import type { ColumnType, Generated } from 'kysely'
import type { Scope } from '../src/domain/accounts/scopes.js'
import type { IncomingPicture, SourceKind } from '../src/domain/content/incoming.js'
import type { CardState, Rating, ReviewPhase } from '../src/domain/review/review.js'

type PictureExtension = IncomingPicture['extension']

/** An instant; PostgreSQL fills it when it is left out. */
type Timestamp = ColumnType<Date, Date | undefined, Date>
/** A calendar day as `YYYY-MM-DD`. */
type Day = ColumnType<string, string, string>
/** Kept by triggers of the database; the service never writes it. */
type Derived<T> = ColumnType<T, never, never>

export interface UsersTable {
  id: Generated<number>
  username: string
  /** Null when nobody logs in to the account by password. */
  password_hash: string | null
  display_name: string
  is_admin: Generated<boolean>
  created_at: Timestamp
  /** Until then the user may do nothing else. */
  must_change_password: Generated<boolean>
  /** Null when the user has never been here. */
  last_seen_on: ColumnType<string | null, string | null | undefined, string | null>
  /** May log in by password although `PASSWORD_LOGIN` is off. */
  emergency: Generated<boolean>
  /** A login by the provider under this name may take the account over, once. */
  link_next_login: Generated<boolean>
  /** The user has chosen that the password is refused. */
  passkey_only: Generated<boolean>
}

/** How somebody has proven who it is. */
export type SignInMethod = 'password' | 'passkey' | 'oidc'

export interface SessionsTable {
  id_hash: Buffer
  user_id: number
  created_at: Timestamp
  expires_at: ColumnType<Date, Date, Date>
  id: Generated<number>
  /** Of the login. */
  address: string | null
  user_agent: string | null
  /** When the person last proved who it is, and how; the login itself was at `created_at`. */
  authenticated_at: Timestamp
  authenticated_by: Generated<SignInMethod>
  /** What the provider calls the session (`sid`). */
  provider_session: ColumnType<string | null, string | null | undefined, string | null>
}

/** Who a user is to a provider of OpenID Connect. */
export interface IdentitiesTable {
  id: Generated<number>
  user_id: number
  issuer: string
  subject: string
  created_at: Timestamp
  last_used_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

/** Logout tokens that have been obeyed, until they expire. */
export interface SpentLogoutTokensTable {
  /** The SHA-256 of issuer and `jti`. */
  token_hash: Buffer
  expires_at: ColumnType<Date, Date, never>
}

export interface PasskeysTable {
  id: Generated<number>
  user_id: number
  name: string
  credential_id: Buffer
  public_key: Buffer
  /** What authenticators call the user; the same for all passkeys of one. */
  user_handle: Buffer
  counter: Generated<number>
  transports: Generated<string[]>
  /** Whether it is kept in more than one place. */
  backed_up: Generated<boolean>
  created_at: Timestamp
  last_used_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

export interface PasskeyChallengesTable {
  challenge: Buffer
  purpose: 'register' | 'login'
  /** Null for a login. */
  user_id: number | null
  user_handle: Buffer | null
  /** Who asked: an IPv4 address or the /64 of an IPv6 address. */
  network: string
  expires_at: ColumnType<Date, Date, never>
}

export interface ApiTokensTable {
  id: Generated<number>
  user_id: number
  name: string
  token_hash: Buffer
  created_at: Timestamp
  last_used_at: ColumnType<Date | null, never, Date>
  /** Null when the token never expires. */
  expires_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** All of them when they are left out. */
  scopes: Generated<Scope[]>
}

export interface LoginFailuresTable {
  /** An IPv4 address or the /64 of an IPv6 address. */
  network: string
  /** The SHA-256 of the name that was given; empty in the row of the address as a whole. */
  account_hash: Buffer
  score: number
  changed_at: Timestamp
  blocked_until: ColumnType<Date | null, Date | null | undefined, Date | null>
}

export interface AuditLogTable {
  id: Generated<number>
  at: Timestamp
  /** Null on the command line. */
  actor_id: number | null
  actor: string
  via: 'session' | 'token' | 'cli' | 'oidc'
  address: string | null
  action: string
  target_id: number | null
  target: string | null
  details: ColumnType<unknown, string | null, never>
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
  /** The memory state after the last review; null when only a script has written the row. */
  stability: ColumnType<number | null, number | null | undefined, number | null>
  difficulty: ColumnType<number | null, number | null | undefined, number | null>
  last_review: ColumnType<string | null, string | null | undefined, string | null>
  reps: Generated<number>
  lapses: Generated<number>
  /** The entry of the log that made this state. */
  last_review_id: ColumnType<number | null, number | null | undefined, number | null>
}

/** Append-only: an undo is an entry of its own, which repeats the facts of the review that it takes back. */
export interface ReviewLogTable {
  id: Generated<number>
  user_id: number
  card_id: number
  /** The deck of the card at that time. */
  deck_id: number | null
  kind: 'review' | 'undo' | 'reset'
  /** Of an undo: the review that it takes back. */
  undoes: number | null
  rating: Rating | null
  previous_rating: Rating | null
  /**
   * `new`: the first review of the card; `repeat`: not the first one of its day; `late`: older than what the card had
   * been through, whose state it left alone; `recall`: all others.
   */
  phase: ReviewPhase | null
  /** Days for which the card had been put off; null when unknown. */
  interval_days: number | null
  duration_ms: number | null
  studied_on: Day
  /** Of a review: when it was given, which may be long before it arrived. Ids are in the order of arrival. */
  created_at: ColumnType<Date, Date, never>
  client_id: string | null
  before: ColumnType<CardState | null, string | null, never>
  after: ColumnType<CardState | null, string | null, never>
  /** What the answer said beside the state, so that a repeated request is answered the same. */
  answer: ColumnType<unknown, string, never>
}

export interface SuspendedCardsTable {
  user_id: number
  card_id: number
}

/** The decks that a learner has switched off. */
export interface InactiveDecksTable {
  user_id: number
  deck_id: number
}

export interface ReviewSettingsTable {
  user_id: number
  new_per_day: number
  desired_retention: number
  maximum_interval: number
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

/** What the search reads of each live sheet: title and text in NFC and lower case, and what it answers, as JSON. */
export interface CheatsheetTextsTable {
  cheatsheet_id: Derived<number>
  sort_title: Derived<string>
  summary: Derived<string>
  title: Derived<string>
  content: Derived<string>
}

/** The words of all texts that are searched, folded. */
export interface SearchWordsTable {
  id: Generated<number>
  word: string
  /** What German word forms have in common. */
  stem: string
}

/** What has changed and is not indexed yet; some hundred rows of a kind at a time. */
export interface SearchPendingTable {
  id: Generated<number>
  kind: 'deck' | 'cheatsheet' | 'card'
  ids: Derived<number[]>
}

/** The numbers of the words of a deck, sheet or card. */
export interface SearchItemsTable {
  item_id: number
  title: number[]
  /** Those of the title and those of the text. */
  words: number[]
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

/** What was uploaded: a package, a table, an archive. */
export interface ContentSourcesTable {
  id: Generated<number>
  kind: SourceKind
  name: string
  /** Null when it had none, such as a pasted table. */
  file_name: string | null
  /** Of the latest upload. */
  size_bytes: number
  created_at: Timestamp
  /** The name at that time; null on the command line. */
  created_by: string | null
  updated_at: Timestamp
  updated_by: string | null
  archived_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

/**
 * The decks that a content file or a source describes, or described until they were archived. A released deck has cards
 * with identities and no row here.
 */
export interface ImportedDecksTable {
  deck_id: number
  /** Relative to the content folder; null when no import has run since it is kept, and of a source. */
  file: string | null
  /** Null: the folder. */
  source_id: ColumnType<number | null, number | null | undefined, number | null>
  /** What the source calls it. */
  source_key: ColumnType<string | null, string | null | undefined, string | null>
}

/** Which row a card of a content file or a source became: identity is (deck, key), and (guid, ord) where there is one. */
export interface ImportedCardsTable {
  card_id: number
  deck_id: number
  key: string
  /** Of an Anki note. */
  guid: ColumnType<string | null, string | null | undefined, string | null>
  /** Of the template or the cloze, from 0. */
  ord: ColumnType<number | null, number | null | undefined, number | null>
}

export interface ImportedCheatsheetsTable {
  cheatsheet_id: number
  /** Null: the folder. */
  source_id: ColumnType<number | null, number | null | undefined, number | null>
  source_key: ColumnType<string | null, string | null | undefined, string | null>
}

/** Pictures, each once. */
export interface MediaTable {
  sha256: Buffer
  extension: PictureExtension
  size_bytes: number
  created_at: Timestamp
  bytes: Buffer
}

/** What learners report of cards; one open report for each of them. */
export interface CardReportsTable {
  id: Generated<number>
  card_id: number
  /** Null when the account has been deleted since. */
  user_id: number | null
  text: string
  created_at: Timestamp
  settled_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** The name at that time. */
  settled_by: ColumnType<string | null, string | null | undefined, string | null>
}

/** One row at most: the last import that came to an end. */
export interface LastImportTable {
  id: Generated<boolean>
  at: Timestamp
  /** Null on the command line and at a start. */
  actor: string | null
  via: AuditLogTable['via'] | 'start'
  outcome: 'done' | 'refused'
  error: string | null
  stats: ColumnType<unknown, string | null, string | null>
  errors: ColumnType<unknown, string, string>
}

export interface Database {
  users: UsersTable
  sessions: SessionsTable
  identities: IdentitiesTable
  spent_logout_tokens: SpentLogoutTokensTable
  passkeys: PasskeysTable
  passkey_challenges: PasskeyChallengesTable
  api_tokens: ApiTokensTable
  login_failures: LoginFailuresTable
  audit_log: AuditLogTable
  decks: DecksTable
  cards: CardsTable
  card_progress: CardProgressTable
  quiz_results: QuizResultsTable
  cheatsheets: CheatsheetsTable
  cheatsheet_texts: CheatsheetTextsTable
  search_words: SearchWordsTable
  search_pending: SearchPendingTable
  search_decks: SearchItemsTable
  search_cheatsheets: SearchItemsTable
  search_cards: SearchItemsTable
  review_log: ReviewLogTable
  suspended_cards: SuspendedCardsTable
  inactive_decks: InactiveDecksTable
  review_settings: ReviewSettingsTable
  card_positions: CardPositionsTable
  distinct_answers: DistinctAnswersTable
  distinct_answer_totals: DistinctAnswerTotalsTable
  content_sources: ContentSourcesTable
  imported_decks: ImportedDecksTable
  imported_cards: ImportedCardsTable
  imported_cheatsheets: ImportedCheatsheetsTable
  media: MediaTable
  card_reports: CardReportsTable
  last_import: LastImportTable
}
