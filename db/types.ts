import type { ColumnType, Generated } from 'kysely'
import type { Scope } from '../src/domain/accounts/scopes.js'
import type { PartKind } from '../src/domain/assignments/assignment.js'
import type { OccurrenceState } from '../src/domain/assignments/plan.js'
import type { IncomingPicture, StoredKind } from '../src/domain/content/upload/incoming.js'
import type { FormKind } from '../src/domain/form-requests.js'
import type { MailKind, MailState } from '../src/domain/mail/mail.js'
import type { ReminderKind } from '../src/domain/mail/reminders.js'
import type { FrozenQuestion } from '../src/domain/questions/frozen.js'
import type { Answer } from '../src/domain/questions/judge.js'
import type { FittedParameters } from '../src/domain/review/parameters.js'
import type { CardState, Rating, ReviewPhase } from '../src/domain/review/review.js'
import type { TableLayout } from '../src/domain/table-layout.js'
import type { MemberOrigin, TeamRole } from '../src/domain/teams/teams.js'
import type { Place } from '../src/domain/tests/attempt.js'
import type { TestDefinition } from '../src/domain/tests/definition.js'

type PictureExtension = IncomingPicture['extension']

/** An instant that PostgreSQL sets to the time of the transaction if an insert omits it */
type Timestamp = ColumnType<Date, Date | undefined, Date>
/** Calendar day as `YYYY-MM-DD` */
type Day = ColumnType<string, string, string>
/** A column that database triggers maintain; the type rules out inserts and updates of it */
type Derived<T> = ColumnType<T, never, never>

export interface UsersTable {
  id: Generated<number>
  username: string
  password_hash: string | null
  display_name: string
  is_admin: Generated<boolean>
  /**
   * Whether the user may create sources, and edit sources as an editor; administrators may do both without this right
   */
  is_author: Generated<boolean>
  created_at: Timestamp
  /**
   * Whether the user must change the password before anything else. Applies to sessions authenticated by password, and
   * to API tokens of users who have a password.
   */
  must_change_password: Generated<boolean>
  last_seen_on: ColumnType<string | null, string | null | undefined, string | null>
  /** Whether the account may log in with a password while `PASSWORD_LOGIN` is off */
  emergency: Generated<boolean>
  /**
   * Whether the next provider login with this user name may be linked to the account; reset when the user logs in
   * through the provider, links an identity, or renews the proof of identity through the provider
   */
  link_next_login: Generated<boolean>
  /** Time at which `link_next_login` was last set to true; the permission expires after seven days */
  link_allowed_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** Whether the user has disabled password login for the account */
  passkey_only: Generated<boolean>
  /** Additional time for tests with a time limit, in percent of the limit */
  extra_time_percent: Generated<number>
  /** First day on which the account is disabled, possibly in the future; null if no deactivation is planned */
  disabled_on: ColumnType<string | null, string | null | undefined, string | null>
  /** Several accounts may share an address. */
  email: ColumnType<string | null, string | null | undefined, string | null>
  email_confirmed_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** Key in the unsubscribe link of the mail about due cards; null if the user does not receive that mail */
  due_cards_mail_key: ColumnType<string | null, string | null | undefined, string | null>
}

export type SignInMethod = 'password' | 'passkey' | 'oidc'

export interface SessionsTable {
  id_hash: Buffer
  user_id: number
  created_at: Timestamp
  expires_at: ColumnType<Date, Date, Date>
  id: Generated<number>
  /** IP address of the client at the login */
  address: string | null
  user_agent: string | null
  /**
   * Time of the proof of identity. It equals `created_at`, or for a login through the provider the time at which the
   * provider authenticated the user (1970 if unknown). A renewed proof replaces the session.
   */
  authenticated_at: Timestamp
  authenticated_by: Generated<SignInMethod>
  /**
   * Id (`sid`) of the provider's session that the login used. A login without such a session keeps the id that the
   * replaced session of the same user had; null if there is none.
   */
  provider_session: ColumnType<string | null, string | null | undefined, string | null>
}

export interface IdentitiesTable {
  id: Generated<number>
  user_id: number
  issuer: string
  subject: string
  created_at: Timestamp
  last_used_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

export interface SpentLogoutTokensTable {
  /** SHA-256 of issuer and `jti` */
  token_hash: Buffer
  expires_at: ColumnType<Date, Date, never>
}

export interface PasskeysTable {
  id: Generated<number>
  user_id: number
  name: string
  credential_id: Buffer
  public_key: Buffer
  /** WebAuthn user handle, the same for all passkeys of a user */
  user_handle: Buffer
  counter: Generated<number>
  transports: Generated<string[]>
  backed_up: Generated<boolean>
  created_at: Timestamp
  last_used_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

export interface PasskeyChallengesTable {
  challenge: Buffer
  purpose: 'register' | 'login'
  /** Null for a login */
  user_id: number | null
  user_handle: Buffer | null
  /** Network of the client, as returned by `networkOf` */
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
  expires_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** Defaults to all scopes */
  scopes: Generated<Scope[]>
}

export interface LoginFailuresTable {
  /** Network of the client, as returned by `networkOf` or `siteOf` */
  network: string
  /** SHA-256 of the entered user name or of a passkey's id (see `loginAttempt`); empty for the whole network */
  account_hash: Buffer
  score: number
  changed_at: Timestamp
  blocked_until: ColumnType<Date | null, Date | null | undefined, Date | null>
}

export interface AuditLogTable {
  id: Generated<number>
  at: Timestamp
  /** Null on the command line, and for a logout by the provider */
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
  /** Form and options of a question (src/domain/questions); null for a plain card */
  exercise: ColumnType<unknown, string | null | undefined, string | null>
  created_at: Timestamp
  updated_at: Timestamp
  archived_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

export interface CardProgressTable {
  id: Generated<number>
  user_id: number
  card_id: number
  /** Null while the card is archived */
  deck_id: Derived<number | null>
  last_rating: Rating | null
  next_review: Day | null
  /** Stability in days after the last review; null, like `difficulty`, if only a script has written the row */
  stability: ColumnType<number | null, number | null | undefined, number | null>
  difficulty: ColumnType<number | null, number | null | undefined, number | null>
  last_review: ColumnType<string | null, string | null | undefined, string | null>
  reps: Generated<number>
  lapses: Generated<number>
  /** Id of the latest review that the state includes; null if there is none */
  last_review_id: ColumnType<number | null, number | null | undefined, number | null>
}

/** Append-only: an undo is a separate entry that repeats the facts of the undone entry. */
export interface ReviewLogTable {
  id: Generated<number>
  user_id: number
  card_id: number
  /** Deck of the card at the time of the entry or, for an undo, of the undone entry */
  deck_id: number | null
  /** `tomorrow` puts a card off until tomorrow; like `reset`, it has no rating */
  kind: 'review' | 'undo' | 'reset' | 'tomorrow'
  undoes: number | null
  rating: Rating | null
  previous_rating: Rating | null
  /**
   * `new`: first review of a new or reset card. `repeat`: a later review of the card on the same day. `late`: a review
   * given before a review or reset that the state includes, or a `tomorrow` without effect; the entry left the state
   * unchanged. `recall`: all other reviews. An undo has the phase of the undone entry. Null for a reset, and for a
   * `tomorrow` with effect
   */
  phase: ReviewPhase | null
  /** Interval of the card before the entry, in days; null if the card had none */
  interval_days: number | null
  duration_ms: number | null
  studied_on: Day
  /** Time at which the entry was made, possibly offline long before its arrival; ids are in the order of arrival. */
  created_at: ColumnType<Date, Date, never>
  client_id: string | null
  before: ColumnType<CardState | null, string | null, never>
  after: ColumnType<CardState | null, string | null, never>
  /** The part of the response that a retry cannot derive from the other columns, such as the counts */
  answer: ColumnType<unknown, string, never>
}

export interface SuspendedCardsTable {
  user_id: number
  card_id: number
}

export interface InactiveDecksTable {
  user_id: number
  deck_id: number
}

/** Decks that are inactive for a learner until the learner chooses them. */
export interface OfferedDecksTable {
  deck_id: number
}

export interface ChosenDecksTable {
  user_id: number
  deck_id: number
}

export interface ReviewSettingsTable {
  user_id: number
  new_per_day: number
  desired_retention: number
  maximum_interval: number
  /** New cards beyond the daily number, valid only on the day `extra_new_on` */
  extra_new: Generated<number>
  extra_new_on: string | null
  /** Whether parameters are fitted to the learner and applied */
  adapt_intervals: Generated<boolean>
  type_answers: Generated<boolean>
  /** Weekdays (Monday is 1) on which no card becomes due if its interval can be varied to another day */
  free_weekdays: Generated<number[]>
}

/** `tried_at` and `tried_items` are the time and the number of recalls of the last attempt to fit parameters. */
export interface FittedParametersTable {
  user_id: number
  /** Null before the first successful fit, and after the defaults were restored */
  current: ColumnType<FittedParameters | null, string | null | undefined, string | null>
  /** Fitted parameters that `current` or the defaults have replaced */
  previous: ColumnType<FittedParameters | null, string | null | undefined, string | null>
  tried_at: ColumnType<Date, Date, Date>
  tried_items: number
  /** The memory states in log entries up to this id may come from other parameters than those in `card_progress`. */
  states_since: Generated<number>
}

export interface CardNotesTable {
  user_id: number
  card_id: number
  text: string
  updated_at: Timestamp
}

/** A learner's desired retention of a deck, which overrides the author's. */
export interface DeckRetentionsTable {
  user_id: number
  deck_id: number
  desired_retention: number
}

/** The author's desired retention of a deck, which overrides the learner's general setting. */
export interface DeckDefaultsTable {
  deck_id: number
  desired_retention: number
}

/** Versions of changed decks, for their form. A deck without a row has the version 1. */
export interface DeckVersionsTable {
  deck_id: number
  version: number
}

export interface JobRunsTable {
  name: string
  /** End of the lease, which the running instance extends; null or in the past if the job is not running */
  leased_until: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** Day of the latest finished nightly run; manual runs and jobs that run more often do not change it. */
  finished_on: string | null
  finished_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  summary: ColumnType<unknown, string | null | undefined, string | null>
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

/** Search text of each live sheet: `title` and `content` in NFC and lower case, and the `summary` as a JSON string. */
export interface CheatsheetTextsTable {
  cheatsheet_id: Derived<number>
  sort_title: Derived<string>
  summary: Derived<string>
  title: Derived<string>
  content: Derived<string>
}

/** Distinct words of all indexed texts, in NFC and lower case. The table keeps words that no text contains any more. */
export interface SearchWordsTable {
  id: Generated<number>
  word: string
  /** Stem of the word by PostgreSQL's German dictionary; the word itself if the dictionary yields none */
  stem: string
}

/** Queue of changed rows that are not indexed yet. An entry has the ids of up to 200 decks or cards, or 10 sheets. */
export interface SearchPendingTable {
  id: Generated<number>
  kind: 'deck' | 'cheatsheet' | 'card'
  ids: Derived<number[]>
}

export interface SearchItemsTable {
  item_id: number
  title: number[]
  /** Word ids of the title and of the text */
  words: number[]
}

/** Positions of the live cards of each deck, from 0 to `card_count` - 1, in arbitrary order. */
export interface CardPositionsTable {
  deck_id: Derived<number>
  position: Derived<number>
  card_id: Derived<number>
}

/** Distinct answers of live cards in live decks, at positions from 0 to `total` - 1. */
export interface DistinctAnswersTable {
  answer_hash: Derived<Buffer>
  position: Derived<number>
  card_count: Derived<number>
  option_text: Derived<string>
}

/** Number of distinct answers; the table has one row. */
export interface DistinctAnswerTotalsTable {
  id: Derived<boolean>
  total: Derived<number>
}

/** A source of content: an uploaded package, table or archive, or content written in the browser. */
export interface ContentSourcesTable {
  id: Generated<number>
  kind: StoredKind
  name: string
  /** Null without a file, for example for a pasted table */
  file_name: string | null
  /** Size in bytes of the latest upload; 0 without an upload */
  size_bytes: number
  created_at: Timestamp
  /** User name of the creator at the time of the creation; null on the command line */
  created_by: string | null
  updated_at: Timestamp
  updated_by: string | null
  archived_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** What was chosen for its tables; null if nothing was */
  table_layout: ColumnType<TableLayout | null, string | null | undefined, string | null>
}

/**
 * Decks of the content folder and of sources, including archived ones. A deck of a deleted source has no row in this
 * table, but its cards keep their identities.
 */
export interface ImportedDecksTable {
  deck_id: number
  /** Path relative to the content folder; null for a source */
  file: string | null
  /** Null for a deck of the content folder */
  source_id: ColumnType<number | null, number | null | undefined, number | null>
  source_key: ColumnType<string | null, string | null | undefined, string | null>
  /** Whether the deck is a pool of test questions, which `archived_at` of the deck always hides from learners */
  tests_only: Generated<boolean>
  pool_archived: Generated<boolean>
  /** Whether task lists in answers are text instead of options */
  options_off: Generated<boolean>
  /** Language of the texts (BCP 47) */
  lang: Generated<string>
}

/** Identities of cards: (`deck_id`, `key`), and for cards of Anki notes also (`guid`, `ord`). */
export interface ImportedCardsTable {
  card_id: number
  deck_id: number
  key: string
  /** Guid of the Anki note; null, like `ord`, for a card without a note */
  guid: ColumnType<string | null, string | null | undefined, string | null>
  /** Index of the card template or cloze of the Anki note, from 0 */
  ord: ColumnType<number | null, number | null | undefined, number | null>
  /** Whether the card is a draft, which `archived_at` hides from learners until it is published */
  draft: Generated<boolean>
  draft_archived: Generated<boolean>
  /** Whether the card of an uploaded source has a change from the browser that no later upload has replaced */
  edited: Generated<boolean>
  /** Id that the client sends with the creation, so that a retry finds the same row */
  client_id: ColumnType<string | null, string | null | undefined, string | null>
}

export interface ImportedCheatsheetsTable {
  cheatsheet_id: number
  /** Null for a sheet of the content folder */
  source_id: ColumnType<number | null, number | null | undefined, number | null>
  source_key: ColumnType<string | null, string | null | undefined, string | null>
  draft: Generated<boolean>
  draft_archived: Generated<boolean>
  edited: Generated<boolean>
  client_id: ColumnType<string | null, string | null | undefined, string | null>
}

/** Editors of sources. They may edit a source only while they are authors or administrators. */
export interface SourceEditorsTable {
  source_id: number
  user_id: number
  added_at: Timestamp
}

export type ChangeKind = 'create' | 'edit' | 'bulk' | 'restore' | 'undo' | 'suggestion' | 'upload' | 'folder' | 'adopt'

/** One operation that changed content, such as an edit, an upload or an import of the content folder. */
export interface ContentChangesTable {
  id: Generated<number>
  at: ColumnType<Date, Date | undefined, never>
  /** User who made or suggested the change; null for the command line, the service start, or a deleted account */
  user_id: number | null
  /** Editor who accepted the text that `user_id` suggested; null for other changes, or if the account was deleted */
  editor_id: ColumnType<number | null, number | null | undefined, number | null>
  how: ChangeKind
  /** Null for an import of the content folder, or if the source has been deleted */
  source_id: number | null
  summary: ColumnType<unknown, string | null | undefined, string | null>
  undoes: ColumnType<number | null, number | null | undefined, never>
}

/** State of a card or sheet before or after a change in the browser; `version` identifies its texts. */
export interface ItemState {
  /** Null for a sheet */
  deck_id: number | null
  archived: boolean
  draft: boolean
  version: number
  /** Sort order of a card, so that undoing a move restores its place */
  sort_order?: number
}

export interface ContentChangeItemsTable {
  id: Generated<number>
  change_id: number
  card_id: ColumnType<number | null, number | null | undefined, never>
  cheatsheet_id: ColumnType<number | null, number | null | undefined, never>
  /** Null if the change created the item */
  before: ColumnType<ItemState | null, string | null, never>
  after: ColumnType<ItemState, string, never>
}

/** Superseded texts of cards; a trigger writes the rows. The row in `cards` is the newest version. */
export interface CardVersionsTable {
  card_id: number
  version: number
  question: string
  answer: string
  level: string
  exercise: ColumnType<unknown, string | null, never>
  superseded_at: Timestamp
  /** Id of the change that superseded the text; null for scripts, or if the change has been deleted */
  change_id: number | null
}

export interface SheetVersionsTable {
  cheatsheet_id: number
  version: number
  title: string
  category: string
  content_md: string
  superseded_at: Timestamp
  change_id: number | null
}

/** Pictures that cards, sheets and tests show or have shown; triggers write the rows. */
export interface PictureUsesTable {
  id: Generated<number>
  sha256: Buffer
  card_id: number | null
  cheatsheet_id: number | null
  test_id: number | null
  /** Whether the current text shows the picture; false if only superseded versions do; always true for tests */
  is_current: Generated<boolean>
}

export interface MediaTable {
  sha256: Buffer
  extension: PictureExtension
  size_bytes: number
  created_at: Timestamp
  /**
   * User who uploaded the picture by itself, or the author whose file contained it; null for pictures of the content
   * folder, for files of administrators, and if the account was deleted
   */
  created_by: ColumnType<number | null, number | null | undefined, number | null>
  bytes: Buffer
}

/** Reports of faulty cards; each learner has at most one open report per card. */
export interface CardReportsTable {
  id: Generated<number>
  card_id: number
  /** Null if the account has been deleted */
  user_id: number | null
  text: string
  created_at: Timestamp
  settled_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** User name that the administrator or editor had when settling the report */
  settled_by: ColumnType<string | null, string | null | undefined, string | null>
  /** Version of the card that the suggestion is based on; null without a suggestion */
  card_version: ColumnType<number | null, number | null | undefined, number | null>
  /** Null together with `suggested_answer` */
  suggested_question: ColumnType<string | null, string | null | undefined, string | null>
  suggested_answer: ColumnType<string | null, string | null | undefined, string | null>
  outcome: ColumnType<
    'accepted' | 'declined' | null,
    'accepted' | 'declined' | null | undefined,
    'accepted' | 'declined' | null
  >
  outcome_message: ColumnType<string | null, string | null | undefined, string | null>
}

/** A test with the definition that its editors change; learners take its published version. */
export interface TestsTable {
  id: Generated<number>
  slug: string
  /** Null for a test of the content folder or of a deleted source */
  source_id: number | null
  source_key: string | null
  /** Path relative to the content folder; null for a test of a source, even after the source is deleted */
  file: ColumnType<string | null, string | null | undefined, string | null>
  definition: ColumnType<TestDefinition, string, string>
  edited: Generated<boolean>
  /** 1 at first; each change of the definition increments it, so that editors do not overwrite each other's changes */
  edit_version: Generated<number>
  published_version: ColumnType<number | null, number | null | undefined, number | null>
  created_at: Timestamp
  updated_at: Timestamp
  archived_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

/** A published version, which never changes. */
export interface TestVersionsTable {
  test_id: number
  version: number
  definition: ColumnType<TestDefinition, string, never>
  /** Whether at least one question comes from a deck that is not a pool, so that learners can look the question up */
  open_questions: boolean
  /** SHA-256 of the definition, the questions without their random ids, and `open_questions` */
  digest: Buffer
  published_at: Timestamp
  /** User name of the editor at the time of the publication; null for imports */
  published_by: string | null
}

/** A question copied by a publication. */
export interface TestQuestionsTable {
  id: Generated<number>
  test_id: number
  version: number
  /** Index of the section, from 0 */
  section: number
  /** Index of the question within the section, from 0 */
  position: number
  /** Null if the card has been deleted */
  card_id: number | null
  content: ColumnType<FrozenQuestion, string, never>
}

export interface AttemptsTable {
  id: Generated<number>
  test_id: number
  version: number
  user_id: number
  /** Id that the client sends with the start, so that a retry gets the same attempt */
  client_id: string
  /** Number of the attempt among the person's attempts at the test, from 1 */
  number: number
  /** False if the person could edit the test at the start; such attempts are left out of the statistics */
  counted: boolean
  started_at: ColumnType<Date, Date, never>
  /**
   * Time at which the attempt must end, without the grace period; null if the test has neither a time limit nor a last
   * day
   */
  deadline_at: ColumnType<Date | null, Date | null, never>
  /** Time of the last saved answer, or of the start */
  last_saved_at: ColumnType<Date, Date, Date>
  /** Null, like `ended_by` and `passed`, while the attempt is open */
  ended_at: ColumnType<Date | null, never, Date>
  ended_by: ColumnType<'person' | 'time' | null, never, 'person' | 'time'>
  passed: ColumnType<boolean | null, never, boolean>
  /** From 0 to 100, rounded down; null while the attempt is open and once the score is deleted (`RESULTS_KEEP`) */
  score_percent: ColumnType<number | null, never, number | null>
  answers_deleted_at: ColumnType<Date | null, never, Date>
}

export interface AttemptQuestionsTable {
  attempt_id: number
  /** Index of the question in the attempt, from 0 */
  slot: number
  question_id: number
  /** Options, items or gaps in the order of this attempt, with ids of this attempt */
  places: ColumnType<Place[], string, never>
  /** Sequence number that the client sent with the saved answer; 0 if never answered */
  seq: Generated<number>
  /** Answer of the learner; refers to the ids of `places` */
  answer: ColumnType<Answer | null, string | null | undefined, string | null>
  saved_at: ColumnType<Date | null, never, Date>
  /**
   * Milliseconds spent on the question. Each save of its answer adds the time since the previous save of any answer, or
   * since the start of the attempt.
   */
  spent_ms: Generated<number>
  /** From 0 to 1; null while the attempt is open */
  points: ColumnType<number | null, never, number>
}

/** Sums over the first attempts of persons, per question. */
export interface QuestionSumsTable {
  question_id: number
  /** `QuestionSums` of src/domain/tests/statistics.ts */
  sums: ColumnType<unknown, string, string>
  /** The report that editors see; null until enough persons have answered */
  report: ColumnType<unknown, string | null | undefined, string | null>
  /** Number of persons when the report was last checked for new counts */
  checked_persons: Generated<number>
}

/** Counts that a report of a question has published. Later reports are compared with them. */
export interface QuestionReportsTable {
  question_id: number
  persons: number
  /** `Counts['cells']` of src/domain/questions/publication.ts */
  cells: ColumnType<Record<string, number>, string, never>
  published_at: Date
}

/** A proof of a completed occurrence. It outlives the account, the assignment and the content. */
export interface ProofsTable {
  id: Generated<number>
  code: string
  user_id: number
  assignment_id: number
  occurrence_id: number
  /** Canonical JSON (src/domain/proofs/snapshot.ts) */
  snapshot: string
  completed_on: Day
  valid_until: NullableDay
  issued_at: ColumnType<Date, Date, never>
  retention_years: number
  /** Last day of the retention, which `setDeletionDays` computes; null while the retention has not begun */
  delete_after: NullableDay
  revoked_at: NullableTimestamp
  /** Reason of the revocation */
  revocation: ColumnType<string | null, string | null | undefined, string | null>
  /** Code of the proof that replaces this proof */
  replaced_by: ColumnType<string | null, string | null | undefined, string | null>
}

export interface MailsTable {
  id: Generated<number>
  user_id: number
  kind: MailKind
  /** Day for which the mail was planned */
  day: Day
  address: string
  subject: string
  /** Text of the mail; null once it was sent, or failed in a way that makes another attempt useless */
  body: string | null
  state: Generated<MailState>
  attempts: Generated<number>
  next_attempt_at: ColumnType<Date, Date, Date>
  /** Time at which an instance began the latest attempt to send the mail */
  claimed_at: NullableTimestamp
  sent_at: NullableTimestamp
  /** Last response of the mail server, or the reason why the mail was not sent */
  answer: ColumnType<string | null, string | null | undefined, string | null>
  created_at: Timestamp
}

/** Last day on which a reminder of each kind was planned for an occurrence. The row stays when the mail is deleted. */
export interface MailRemindersTable {
  occurrence_id: number
  kind: ReminderKind
  reminded_on: Day
}

export interface AddressConfirmationsTable {
  user_id: number
  address: string
  token_hash: Buffer
  expires_at: ColumnType<Date, Date, Date>
}

/** Hash of the token in the secret URL of a person's calendar of tasks. */
export interface CalendarTokensTable {
  user_id: number
  token_hash: Buffer
  created_at: Timestamp
}

/** At most one row: the last import of the content folder that was completed or refused. */
export interface LastImportTable {
  id: Generated<boolean>
  at: Timestamp
  /** User name of the user who started the import; null for the command line and the start of the service */
  actor: string | null
  via: AuditLogTable['via'] | 'start'
  outcome: 'done' | 'refused'
  error: string | null
  stats: ColumnType<unknown, string | null, string | null>
  errors: ColumnType<unknown, string, string>
}

/** The object that a request with a client id has created, so that a repeated request does not create another one. */
export interface FormRequestsTable {
  user_id: number
  kind: FormKind
  client_id: string
  /** SHA-256 of the parsed request */
  body_hash: Buffer
  /** Id of the object, which may have been deleted since */
  object_id: number
  created_at: Timestamp
}

export interface TeamsTable {
  id: Generated<number>
  name: string
  /** Group of the identity provider whose users are members of the team */
  external_group: string | null
  created_at: Timestamp
  /** 1 plus the number of changes of the name or the group */
  edit_version: Generated<number>
}

export interface TeamMembersTable {
  id: Generated<number>
  team_id: number
  user_id: number
  role: TeamRole
  origin: MemberOrigin
  from_on: Day
  /** Day on which the membership ended; null while it is current */
  until_on: ColumnType<string | null, string | null | undefined, string | null>
}

type NullableDay = ColumnType<string | null, string | null | undefined, string | null>
type NullableTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>

/** An assignment: parts that an audience is asked to complete by a due day; voluntary unless `mandatory`. */
export interface AssignmentsTable {
  id: Generated<number>
  title: string
  description: string
  /** First day of the first period; null if each person starts on the day of joining the audience */
  starts_on: string | null
  /** Due day of the first period; null if `due_days` is set */
  due_on: string | null
  /** Number of days from the first day of the first period to its due day; null if `due_on` is set */
  due_days: number | null
  /** Interval of the recurrence in months; null, like `opens_days_before`, without recurrence */
  every_months: number | null
  /**
   * Month and day (`MM-DD`) on which a later period is due; null without recurrence, or if each period follows the last
   * completion
   */
  window_end: string | null
  /** Days from the opening of a later period to its regular due day; does not apply to the first period */
  opens_days_before: number | null
  /** Day from which all users are in the audience; null if only teams and individual persons are */
  everybody_from: string | null
  mandatory: boolean
  retention_years: number
  responsible_id: number | null
  created_by: number | null
  created_on: Day
  created_at: Timestamp
  /** Version of the content: 1 plus the number of renewals */
  version: Generated<number>
  renewed_on: NullableDay
  renewed_at: NullableTimestamp
  /** Time up to which changes of the content were corrections, which do not require a renewal */
  corrected_at: NullableTimestamp
  /** Last day on which the occurrences of all persons were planned */
  planned_on: NullableDay
  archived_at: NullableTimestamp
  /** 1 plus the number of changes of the fields that the form edits */
  edit_version: Generated<number>
}

/** A part of an assignment. Its content may be deleted later; the title then remains. */
export interface AssignmentPartsTable {
  assignment_id: number
  position: number
  kind: PartKind
  title: string
  cheatsheet_id: number | null
  test_id: number | null
  deck_id: number | null
  /**
   * Percent of a deck's cards that must be rated `medium` or `easy`. Null if each card must be reviewed, with any
   * rating, and for other kinds of parts.
   */
  share_percent: number | null
}

export interface AssignmentTeamsTable {
  assignment_id: number
  team_id: number
  added_on: Day
}

export interface AssignmentUsersTable {
  assignment_id: number
  user_id: number
  added_on: Day
}

/** The task of one person for one period of an assignment. */
export interface OccurrencesTable {
  id: Generated<number>
  assignment_id: number
  user_id: number
  /** First day of the period, which identifies the period */
  period: Day
  due_on: Day
  extended_until: NullableDay
  state: Generated<OccurrenceState>
  reason: ColumnType<string | null, string | null | undefined, string | null>
  /** Last day of an exemption or of a recognised external proof */
  covered_until: NullableDay
  done_at: NullableTimestamp
  /** Day of the completion, exemption or recognition in the service's time zone; null until then */
  done_on: NullableDay
  content_version: number
  /**
   * Attempts before this time do not count. Earlier reviews do not count either, except in a person's first period that
   * no renewal has restarted.
   */
  counts_from: ColumnType<Date, Date, Date>
  /** Attempts granted beyond the limit of the test */
  extra_attempts: Generated<number>
}

export interface OccurrencePartsTable {
  occurrence_id: number
  position: number
  done_at: ColumnType<Date, Date, Date>
  /** Day of the instruction of a `personal` part; null for other kinds */
  held_on: NullableDay
  /** Name of the instructor at the time of the confirmation */
  confirmed_by: ColumnType<string | null, string | null | undefined, string | null>
  note: ColumnType<string | null, string | null | undefined, string | null>
}

export interface Database {
  assignments: AssignmentsTable
  assignment_parts: AssignmentPartsTable
  assignment_teams: AssignmentTeamsTable
  assignment_users: AssignmentUsersTable
  occurrences: OccurrencesTable
  occurrence_parts: OccurrencePartsTable
  proofs: ProofsTable
  mails: MailsTable
  mail_reminders: MailRemindersTable
  address_confirmations: AddressConfirmationsTable
  calendar_tokens: CalendarTokensTable
  teams: TeamsTable
  team_members: TeamMembersTable
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
  offered_decks: OfferedDecksTable
  chosen_decks: ChosenDecksTable
  review_settings: ReviewSettingsTable
  fitted_parameters: FittedParametersTable
  card_notes: CardNotesTable
  deck_retentions: DeckRetentionsTable
  deck_defaults: DeckDefaultsTable
  deck_versions: DeckVersionsTable
  form_requests: FormRequestsTable
  job_runs: JobRunsTable
  card_positions: CardPositionsTable
  distinct_answers: DistinctAnswersTable
  distinct_answer_totals: DistinctAnswerTotalsTable
  content_sources: ContentSourcesTable
  imported_decks: ImportedDecksTable
  imported_cards: ImportedCardsTable
  imported_cheatsheets: ImportedCheatsheetsTable
  source_editors: SourceEditorsTable
  content_changes: ContentChangesTable
  content_change_items: ContentChangeItemsTable
  card_versions: CardVersionsTable
  sheet_versions: SheetVersionsTable
  picture_uses: PictureUsesTable
  media: MediaTable
  card_reports: CardReportsTable
  last_import: LastImportTable
  tests: TestsTable
  test_versions: TestVersionsTable
  test_questions: TestQuestionsTable
  attempts: AttemptsTable
  attempt_questions: AttemptQuestionsTable
  question_sums: QuestionSumsTable
  question_reports: QuestionReportsTable
}
