import type { Migration } from 'kysely'
import * as createTables from './0001_create_tables.js'
import * as keepDerivedColumns from './0002_keep_derived_columns.js'
import * as keepQuizPositions from './0003_keep_quiz_positions.js'
import * as indexCheatsheetText from './0004_index_cheatsheet_text.js'
import * as createReviewTables from './0010_create_review_tables.js'
import * as createApiTokens from './0020_create_api_tokens.js'
import * as createLoginFailures from './0021_create_login_failures.js'
import * as createAuditLog from './0022_create_audit_log.js'
import * as describeSessions from './0023_describe_sessions.js'
import * as letTruncatePassReaders from './0024_let_truncate_pass_readers.js'

/** Every migration by its name; the names sort in the order of application and never change. */
export const migrations: Record<string, Migration> = {
  '0001_create_tables': createTables,
  '0002_keep_derived_columns': keepDerivedColumns,
  '0003_keep_quiz_positions': keepQuizPositions,
  '0004_index_cheatsheet_text': indexCheatsheetText,
  '0010_create_review_tables': createReviewTables,
  '0020_create_api_tokens': createApiTokens,
  '0021_create_login_failures': createLoginFailures,
  '0022_create_audit_log': createAuditLog,
  '0023_describe_sessions': describeSessions,
  '0024_let_truncate_pass_readers': letTruncatePassReaders,
}
