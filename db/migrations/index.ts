import type { Migration } from 'kysely'
import * as createTables from './0001_create_tables.js'
import * as keepDerivedColumns from './0002_keep_derived_columns.js'
import * as keepQuizPositions from './0003_keep_quiz_positions.js'
import * as indexCheatsheetText from './0004_index_cheatsheet_text.js'

/** Every migration by its name; the names sort in the order of application and never change. */
export const migrations: Record<string, Migration> = {
  '0001_create_tables': createTables,
  '0002_keep_derived_columns': keepDerivedColumns,
  '0003_keep_quiz_positions': keepQuizPositions,
  '0004_index_cheatsheet_text': indexCheatsheetText,
}
