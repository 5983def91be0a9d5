import type { Migration } from 'kysely'
import * as createAccounts from './0001_create_accounts.js'
import * as createContent from './0002_create_content.js'
import * as createLearning from './0003_create_learning.js'
import * as keepDerivedColumns from './0004_keep_derived_columns.js'
import * as keepQuizPositions from './0005_keep_quiz_positions.js'
import * as indexCheatsheetText from './0006_index_cheatsheet_text.js'
import * as extendReviews from './0007_extend_reviews.js'
import * as indexWords from './0008_index_words.js'
import * as addAccountState from './0009_add_account_state.js'
import * as createCardReports from './0010_create_card_reports.js'
import * as addContentSources from './0011_add_content_sources.js'
import * as addSignIn from './0012_add_sign_in.js'
import * as rebuildSearchIndexes from './0013_rebuild_search_indexes.js'

/** Every migration by its name; the names sort in the order of application and never change. */
export const migrations: Record<string, Migration> = {
  '0001_create_accounts': createAccounts,
  '0002_create_content': createContent,
  '0003_create_learning': createLearning,
  '0004_keep_derived_columns': keepDerivedColumns,
  '0005_keep_quiz_positions': keepQuizPositions,
  '0006_index_cheatsheet_text': indexCheatsheetText,
  '0007_extend_reviews': extendReviews,
  '0008_index_words': indexWords,
  '0009_add_account_state': addAccountState,
  '0010_create_card_reports': createCardReports,
  '0011_add_content_sources': addContentSources,
  '0012_add_sign_in': addSignIn,
  '0013_rebuild_search_indexes': rebuildSearchIndexes,
}
