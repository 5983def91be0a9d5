import pg from 'pg'

/**
 * SQLSTATE classes and codes after which a retry may succeed: connection lost, resources exhausted, operator
 * intervention (which includes a statement timeout), system error, serialization failure, deadlock, lock timeout,
 * read-only standby, internal error.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const PASSING_CODES = /^(08|53|57|58|40001|40P01|55P03|25006|XX000)/

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // A missing Unix socket
  'ENOENT',
])

/** System calls of a failed connection. File system errors may have the same codes, but have other calls or a path. */
const CONNECTION_CALLS = new Set(['connect', 'getaddrinfo', 'read', 'write', 'shutdown'])

/** Beginnings of the messages of errors without an error code from pg, pg-pool, Kysely and the embedded database */
const CONNECTION_MESSAGES =
  /^(Connection terminated|timeout e?xceeded when trying to connect|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after|driver has already been destroyed|Connection ended|embedded database (ended|or connection is closed))/

export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof pg.DatabaseError) return PASSING_CODES.test(error.code ?? '')
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (code !== undefined && CONNECTION_CODES.has(code)) {
    return path === undefined && (syscall === undefined || CONNECTION_CALLS.has(syscall))
  }
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  return CONNECTION_MESSAGES.test(error.message)
}

const FOREIGN_KEY_VIOLATION = '23503'

/** Names of the foreign keys that refer to `users` */
export const USER_KEYS = new Set([
  'address_confirmations_user_id_fkey',
  'api_tokens_user_id_fkey',
  'assignment_users_user_id_fkey',
  'assignments_created_by_fkey',
  'assignments_responsible_id_fkey',
  'attempts_user_id_fkey',
  'calendar_tokens_user_id_fkey',
  'card_notes_user_id_fkey',
  'card_progress_user_id_fkey',
  'card_reports_user_id_fkey',
  'chosen_decks_user_id_fkey',
  'chosen_languages_user_id_fkey',
  'content_changes_editor_id_fkey',
  'content_changes_user_id_fkey',
  'deck_retentions_user_id_fkey',
  'fitted_parameters_user_id_fkey',
  'form_requests_user_id_fkey',
  'identities_user_id_fkey',
  'inactive_decks_user_id_fkey',
  'mails_user_id_fkey',
  'media_created_by_fkey',
  'occurrences_user_id_fkey',
  'passkey_challenges_user_id_fkey',
  'passkeys_user_id_fkey',
  'quiz_results_user_id_fkey',
  'review_log_user_id_fkey',
  'review_settings_user_id_fkey',
  'sessions_user_id_fkey',
  'source_editors_user_id_fkey',
  'suspended_cards_user_id_fkey',
  'team_members_user_id_fkey',
])

function isViolation(error: unknown, code: string, keys: ReadonlySet<string>): boolean {
  return error instanceof pg.DatabaseError && error.code === code && keys.has(error.constraint ?? '')
}

/** Returns whether a statement failed because it refers to a user who does not exist or no longer exists. */
export function isUserMissing(error: unknown): boolean {
  return isViolation(error, FOREIGN_KEY_VIOLATION, USER_KEYS)
}

const TEST_KEYS = new Set(['attempts_test_id_fkey'])

/** Returns whether an attempt could not start because its test no longer exists. */
export function isTestMissing(error: unknown): boolean {
  return isViolation(error, FOREIGN_KEY_VIOLATION, TEST_KEYS)
}

const UNIQUE_VIOLATION = '23505'
const SLUG_KEYS = new Set(['decks_slug_key', 'cheatsheets_slug_key', 'tests_slug_key', 'tests_source_key_idx'])

/**
 * Returns whether a write of content failed because a concurrent change took its slug (or, for a test, its key in the
 * source), or deleted a row that the write refers to.
 */
export function isContentConflict(error: unknown): boolean {
  const hasBrokenReference = error instanceof pg.DatabaseError && error.code === FOREIGN_KEY_VIOLATION
  return hasBrokenReference || isViolation(error, UNIQUE_VIOLATION, SLUG_KEYS)
}

const NAME_KEYS = new Set(['users_username_key', 'users_normal_username_key'])

/** Returns whether a change of a user name failed because another account has the name. */
export function isNameTaken(error: unknown): boolean {
  return isViolation(error, UNIQUE_VIOLATION, NAME_KEYS)
}

const CLIENT_ID_KEYS = new Set(['imported_cards_client_id_key', 'imported_cheatsheets_client_id_key'])

/** Returns whether a concurrent request with the same client id has created the card or sheet. */
export function isDuplicateClientId(error: unknown): boolean {
  return isViolation(error, UNIQUE_VIOLATION, CLIENT_ID_KEYS)
}

const REPORT_KEYS = new Set(['card_reports_open_key'])

/** Returns whether a report was not reopened because its author has another open report of the same card. */
export function isDuplicateReport(error: unknown): boolean {
  return isViolation(error, UNIQUE_VIOLATION, REPORT_KEYS)
}
