import type { ColumnType, Generated } from 'kysely'
import type { Scope } from '../src/domain/accounts/scopes.js'
import type { PartKind } from '../src/domain/assignments/assignment.js'
import type { OccurrenceState } from '../src/domain/assignments/plan.js'
import type { IncomingPicture, StoredKind } from '../src/domain/content/upload/incoming.js'
import type { MailKind, MailState } from '../src/domain/mail/mail.js'
import type { ReminderKind } from '../src/domain/mail/reminders.js'
import type { FrozenQuestion } from '../src/domain/questions/frozen.js'
import type { Answer } from '../src/domain/questions/judge.js'
import type { FittedParameters } from '../src/domain/review/parameters.js'
import type { CardState, Rating, ReviewPhase } from '../src/domain/review/review.js'
import type { MemberOrigin, TeamRole } from '../src/domain/teams/teams.js'
import type { Place } from '../src/domain/tests/attempt.js'
import type { TestDefinition } from '../src/domain/tests/definition.js'

type PictureExtension = IncomingPicture['extension']

/** An instant that PostgreSQL sets to the time of the transaction if it is omitted */
type Timestamp = ColumnType<Date, Date | undefined, Date>
/** Calendar day as `YYYY-MM-DD` */
type Day = ColumnType<string, string, string>
/** A column that database triggers maintain and the service never writes */
type Derived<T> = ColumnType<T, never, never>

export interface UsersTable {
  id: Generated<number>
  username: string
  /** Null if the account has no password */
  password_hash: string | null
  display_name: string
  is_admin: Generated<boolean>
  /**
   * Whether the user may create sources, and edit the sources in `source_editors`. Administrators may edit all sources.
   */
  is_author: Generated<boolean>
  created_at: Timestamp
  /** Whether the user must change the password before anything else */
  must_change_password: Generated<boolean>
  /** Null if the user was never active */
  last_seen_on: ColumnType<string | null, string | null | undefined, string | null>
  /** Whether the account may log in with a password while `PASSWORD_LOGIN` is off */
  emergency: Generated<boolean>
  /** Whether the next provider login with this user name is linked to the account; reset by that login */
  link_next_login: Generated<boolean>
  /** Time at which `link_next_login` was last set to true; the permission expires after seven days */
  link_allowed_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** Whether the user has disabled password login for the account */
  passkey_only: Generated<boolean>
  /** Additional time for tests with a time limit, in percent of the limit */
  extra_time_percent: Generated<number>
  /** First day on which the account is disabled, possibly in the future; null if no deactivation is planned */
  disabled_on: ColumnType<string | null, string | null | undefined, string | null>
  /** Email address of the user, which several accounts may share; null if there is none */
  email: ColumnType<string | null, string | null | undefined, string | null>
  /**
   * Time at which the user confirmed the email address; null without an address, or if the user has not confirmed it
   */
  email_confirmed_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** Key in the unsubscribe link of the mail about due cards; null if the user does not receive that mail */
  due_cards_mail_key: ColumnType<string | null, string | null | undefined, string | null>
}

/** Method with which a user logged in or confirmed the identity */
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
  /** Time of the last proof of identity; the login itself was at `created_at` */
  authenticated_at: Timestamp
  /** Method of the last proof of identity */
  authenticated_by: Generated<SignInMethod>
  /** Id of the provider's session (`sid`); null if the provider sent none or the login used another method */
  provider_session: ColumnType<string | null, string | null | undefined, string | null>
}

/** Identity of a user at an OpenID Connect provider. */
export interface IdentitiesTable {
  id: Generated<number>
  user_id: number
  issuer: string
  subject: string
  created_at: Timestamp
  last_used_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

/** Logout tokens that have been used; expired ones are deleted. */
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
  /** Whether the passkey is synchronised or backed up */
  backed_up: Generated<boolean>
  created_at: Timestamp
  last_used_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

export interface PasskeyChallengesTable {
  challenge: Buffer
  purpose: 'register' | 'login'
  /** User who registers a passkey; null for a login */
  user_id: number | null
  user_handle: Buffer | null
  /** IPv4 address or IPv6 /64 of the caller */
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
  /** Null if the token does not expire */
  expires_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** All scopes if omitted */
  scopes: Generated<Scope[]>
}

export interface LoginFailuresTable {
  /** IPv4 address, IPv6 /64 or IPv6 /48 */
  network: string
  /** SHA-256 of the entered user name; empty for the counter of the whole network */
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
  /** Deck of a live card; null while the card is archived */
  deck_id: Derived<number | null>
  last_rating: Rating | null
  next_review: Day | null
  /** Stability in days after the last review; null, like `difficulty`, if only a script has written the row */
  stability: ColumnType<number | null, number | null | undefined, number | null>
  difficulty: ColumnType<number | null, number | null | undefined, number | null>
  last_review: ColumnType<string | null, string | null | undefined, string | null>
  reps: Generated<number>
  lapses: Generated<number>
  /** Id of the log entry that produced this state */
  last_review_id: ColumnType<number | null, number | null | undefined, number | null>
}

/** Append-only: an undo is a separate entry that repeats the facts of the undone review. */
export interface ReviewLogTable {
  id: Generated<number>
  user_id: number
  card_id: number
  /** Deck of the card at the time of the entry */
  deck_id: number | null
  /** `tomorrow` puts a card off until tomorrow; like `reset`, it has no rating */
  kind: 'review' | 'undo' | 'reset' | 'tomorrow'
  /** Id of the entry that an undo entry reverts */
  undoes: number | null
  rating: Rating | null
  previous_rating: Rating | null
  /**
   * `new`: first review of the card. `repeat`: a later review of the card on the same day. `late`: a review that was
   * given before a review or reset that the state includes, so it left the state unchanged. `recall`: all other reviews
   */
  phase: ReviewPhase | null
  /** Previous interval in days; null if unknown */
  interval_days: number | null
  duration_ms: number | null
  studied_on: Day
  /** Time at which the learner gave the review. It may have arrived much later; ids are in the order of arrival. */
  created_at: ColumnType<Date, Date, never>
  client_id: string | null
  before: ColumnType<CardState | null, string | null, never>
  after: ColumnType<CardState | null, string | null, never>
  /** The response to the request without the state, so that a retry gets the same response */
  answer: ColumnType<unknown, string, never>
}

export interface SuspendedCardsTable {
  user_id: number
  card_id: number
}

/** Decks that a learner has deactivated. */
export interface InactiveDecksTable {
  user_id: number
  deck_id: number
}

/** Decks that are inactive until a learner chooses them. */
export interface OfferedDecksTable {
  deck_id: number
}

/** Offered decks that a learner has chosen. */
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
  /** Weekdays without due cards; Monday is 1 */
  free_weekdays: Generated<number[]>
}

/** Scheduler parameters fitted to a learner, with the time and the number of recalls of the last attempt at a fit. */
export interface FittedParametersTable {
  user_id: number
  /** Null while the defaults apply */
  current: ColumnType<FittedParameters | null, string | null | undefined, string | null>
  /** Fitted parameters that `current` or the defaults have replaced; null if there are none */
  previous: ColumnType<FittedParameters | null, string | null | undefined, string | null>
  tried_at: ColumnType<Date, Date, Date>
  tried_items: number
  /** Log entries up to this id may hold memory states computed with other parameters than those in `card_progress`. */
  states_since: Generated<number>
}

/** A learner's private note on a card. */
export interface CardNotesTable {
  user_id: number
  card_id: number
  text: string
  updated_at: Timestamp
}

/** A learner's desired retention of a deck, which overrides the author's and the learner's general setting. */
export interface DeckRetentionsTable {
  user_id: number
  deck_id: number
  desired_retention: number
}

/** The author's desired retention of a deck. */
export interface DeckDefaultsTable {
  deck_id: number
  desired_retention: number
}

/** Last run of each recurring job. */
export interface JobRunsTable {
  name: string
  /** End of the lease, which the instance that runs the job extends; null if no instance runs the job */
  leased_until: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** Latest day whose run has finished; null if there is none, and unaffected by manual runs */
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

/** Distinct words of all searchable texts, in NFC and lower case. */
export interface SearchWordsTable {
  id: Generated<number>
  word: string
  /** Stem of the word by the German dictionary, the same for its forms; the word itself if it has no stem */
  stem: string
}

/** Queue of changed rows that are not indexed yet. An entry has the ids of up to 200 decks or cards, or 10 sheets. */
export interface SearchPendingTable {
  id: Generated<number>
  kind: 'deck' | 'cheatsheet' | 'card'
  ids: Derived<number[]>
}

/** Word ids of a deck, sheet or card. */
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

/** One row: the number of distinct answers. */
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
  /** Name of the creator at the time of the creation; null on the command line */
  created_by: string | null
  updated_at: Timestamp
  updated_by: string | null
  archived_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

/**
 * Decks of the content folder and of sources, including archived ones. A deck of a released source has no row in this
 * table, but its cards keep their identities.
 */
export interface ImportedDecksTable {
  deck_id: number
  /** Path relative to the content folder; null for a source, and until an import has recorded the path */
  file: string | null
  /** Null for the content folder */
  source_id: ColumnType<number | null, number | null | undefined, number | null>
  /** Key of the deck within its source */
  source_key: ColumnType<string | null, string | null | undefined, string | null>
  /** Whether the deck is a pool of test questions, which `archived_at` of the deck always hides from learners */
  tests_only: Generated<boolean>
  /** Whether editors have archived the pool */
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
  /** Guid of the Anki note */
  guid: ColumnType<string | null, string | null | undefined, string | null>
  /** Index of the card template or cloze of the Anki note, from 0 */
  ord: ColumnType<number | null, number | null | undefined, number | null>
  /** Whether the item is a draft, which `archived_at` hides from learners until it is published */
  draft: Generated<boolean>
  /** Whether editors have archived the draft */
  draft_archived: Generated<boolean>
  /** Whether the item has been changed in the browser since the last upload */
  edited: Generated<boolean>
  /** Id that the client sends with the creation, so that a retry finds the same row */
  client_id: ColumnType<string | null, string | null | undefined, string | null>
}

export interface ImportedCheatsheetsTable {
  cheatsheet_id: number
  /** Null for the content folder */
  source_id: ColumnType<number | null, number | null | undefined, number | null>
  source_key: ColumnType<string | null, string | null | undefined, string | null>
  /** Whether the item is a draft, which `archived_at` hides from learners until it is published */
  draft: Generated<boolean>
  /** Whether editors have archived the draft */
  draft_archived: Generated<boolean>
  /** Whether the item has been changed in the browser since the last upload */
  edited: Generated<boolean>
  /** Id that the client sends with the creation, so that a retry finds the same row */
  client_id: ColumnType<string | null, string | null | undefined, string | null>
}

/** Editors of a source. They may edit it only while they are authors. */
export interface SourceEditorsTable {
  source_id: number
  user_id: number
  added_at: Timestamp
}

/** How a change of content was made */
export type ChangeKind = 'create' | 'edit' | 'bulk' | 'restore' | 'undo' | 'suggestion' | 'upload' | 'folder' | 'adopt'

/** One operation that changed texts or states: an edit, a bulk change, an upload or an import of the content folder. */
export interface ContentChangesTable {
  id: Generated<number>
  at: ColumnType<Date, Date | undefined, never>
  /** Author of the new text; null for the command line, the start of the service, or a deleted account */
  user_id: number | null
  /** Editor who accepted the text that `user_id` suggested; null for other changes, or if the account was deleted */
  editor_id: ColumnType<number | null, number | null | undefined, number | null>
  how: ChangeKind
  /** Null for the content folder, or if the source has been deleted */
  source_id: number | null
  summary: ColumnType<unknown, string | null | undefined, string | null>
  /** Id of the change that this change reverts */
  undoes: ColumnType<number | null, number | null | undefined, never>
}

/** State of a card or sheet before or after a change in the browser; the texts are in the version tables. */
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

/** Superseded texts of cards, written by a trigger; the row in `cards` is the newest version. */
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

/** Superseded texts of sheets, written by a trigger. */
export interface SheetVersionsTable {
  cheatsheet_id: number
  version: number
  title: string
  category: string
  content_md: string
  superseded_at: Timestamp
  change_id: number | null
}

/** Pictures that cards, sheets and tests show or have shown, written by triggers. */
export interface PictureUsesTable {
  id: Generated<number>
  sha256: Buffer
  card_id: number | null
  cheatsheet_id: number | null
  test_id: number | null
  /** Whether the current text shows the picture; false if only superseded versions of the text do */
  is_current: Generated<boolean>
}

/** Pictures, deduplicated by content. */
export interface MediaTable {
  sha256: Buffer
  extension: PictureExtension
  size_bytes: number
  created_at: Timestamp
  /** Id of the author who uploaded the picture in the browser; null for imports, or if the account was deleted */
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
  /** Name of the administrator or editor who settled the report, at that time; null while it is open */
  settled_by: ColumnType<string | null, string | null | undefined, string | null>
  /** Version of the card that the suggestion is based on; null without a suggestion */
  card_version: ColumnType<number | null, number | null | undefined, number | null>
  /** Texts that the learner suggests; either both or neither are null */
  suggested_question: ColumnType<string | null, string | null | undefined, string | null>
  suggested_answer: ColumnType<string | null, string | null | undefined, string | null>
  /** Decision about the report or its suggestion; null if there is no decision */
  outcome: ColumnType<
    'accepted' | 'declined' | null,
    'accepted' | 'declined' | null | undefined,
    'accepted' | 'declined' | null
  >
  /** Message to the learner about the outcome; null if there is none */
  outcome_message: ColumnType<string | null, string | null | undefined, string | null>
}

/** A test with the definition that its editors change; learners take its published version. */
export interface TestsTable {
  id: Generated<number>
  slug: string
  /** Null for the content folder */
  source_id: number | null
  /** Key of the test within its source */
  source_key: string | null
  /** Path relative to the content folder; null for a source */
  file: ColumnType<string | null, string | null | undefined, string | null>
  definition: ColumnType<TestDefinition, string, string>
  /** Whether the item has been changed in the browser since the last upload */
  edited: Generated<boolean>
  /** 1 after the creation; each save increments it, so that editors cannot overwrite each other's changes */
  edit_version: Generated<number>
  /** Null until the test is published */
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
  /** Whether learners can look up at least one of the questions */
  open_questions: boolean
  /** SHA-256 of the definition and the questions without their random ids */
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
  /** Whether the attempt counts in the statistics; false for an editor of the test */
  counted: boolean
  started_at: ColumnType<Date, Date, never>
  /** Time at which the attempt ends automatically; null without a time limit */
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
  /** Answer of the learner, with the ids of `places` */
  answer: ColumnType<Answer | null, string | null | undefined, string | null>
  saved_at: ColumnType<Date | null, never, Date>
  /**
   * Sum over all saves of this answer: milliseconds since the previous save of any answer, or the start of the attempt
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
  report_persons: Generated<number>
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
  /** Last day of the retention, which begins with a later proof or the end of the account; null until then */
  delete_after: NullableDay
  revoked_at: NullableTimestamp
  /** Reason of the revocation; null unless the proof is revoked */
  revocation: ColumnType<string | null, string | null | undefined, string | null>
  /** Code of the proof that replaces this proof; null if it is not replaced */
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

/** An email address that a person entered and has not yet confirmed. */
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
  /** Name of the user who started the import; null for the command line and the start of the service */
  actor: string | null
  via: AuditLogTable['via'] | 'start'
  outcome: 'done' | 'refused'
  error: string | null
  stats: ColumnType<unknown, string | null, string | null>
  errors: ColumnType<unknown, string, string>
}

export interface TeamsTable {
  id: Generated<number>
  name: string
  /** Group of the identity provider whose users are members of the team; null if there is none */
  external_group: string | null
  created_at: Timestamp
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

/** An assignment: content that an audience must complete by a due day, once or recurrently. */
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
  /** Day of the year (`MM-DD`) on which later periods end; null without recurrence, or if completions start periods */
  window_end: string | null
  /** Days from the opening of a period to its due day, for all periods but the first */
  opens_days_before: number | null
  /** Day from which all users belong to the audience; null if only teams and single persons do */
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
  /** Percent of the cards that must be rated `medium` or `easy`; null if each card must be reviewed, with any rating */
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
  /** Day of the completion, exemption or recognition; null until then */
  done_on: NullableDay
  content_version: number
  /**
   * Attempts before this time do not count; neither do reviews, except in a person's first period that no renewal has
   * restarted.
   */
  counts_from: ColumnType<Date, Date, Date>
  /** Attempts granted beyond the limit of the test */
  extra_attempts: Generated<number>
}

/** A completed part of an occurrence. */
export interface OccurrencePartsTable {
  occurrence_id: number
  position: number
  done_at: ColumnType<Date, Date, Date>
  /** Day on which a personal part was held; null for other kinds */
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
}
