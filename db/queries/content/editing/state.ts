import { type RawBuilder, sql } from 'kysely'
import type { ItemState } from '../../../column-types.js'

/** States of a card or sheet for its editors; learners see only live cards and sheets. */
export const EDITED_STATES = ['live', 'draft', 'archived'] as const
export type EditedState = (typeof EDITED_STATES)[number]

const ORIGINS = { cards: 'imported_cards', cheatsheets: 'imported_cheatsheets' } as const

/**
 * Builds the condition that a card or sheet is archived for its editors. `archived_at` of a draft is always set, so
 * `draft_archived` tells whether a draft is archived. The statement must join `imported_cards` or
 * `imported_cheatsheets`; a left join is enough.
 */
export function isArchived(table: keyof typeof ORIGINS): RawBuilder<boolean> {
  const origin = ORIGINS[table]
  return sql<boolean>`(${sql.ref(`${table}.archived_at`)} is not null
    and (${sql.ref(`${origin}.draft`)} is not true or ${sql.ref(`${origin}.draft_archived`)}))`
}

/** Builds the condition that a card or sheet is a draft; needs the same join as `isArchived`. */
export function isDraft(table: keyof typeof ORIGINS): RawBuilder<boolean> {
  return sql<boolean>`coalesce(${sql.ref(`${ORIGINS[table]}.draft`)}, false)`
}

/** Builds the version number of the current text of a card or sheet; superseded texts have lower numbers. */
export function liveVersion(table: keyof typeof ORIGINS): RawBuilder<number> {
  const [versions, key] = table === 'cards' ? ['card_versions', 'card_id'] : ['sheet_versions', 'cheatsheet_id']
  return sql<number>`1 + coalesce((
    select max(version) from ${sql.table(versions)} where ${sql.ref(key)} = ${sql.ref(`${table}.id`)}
  ), 0)`
}

export function hasState(table: keyof typeof ORIGINS, state: EditedState): RawBuilder<boolean> {
  if (state === 'archived') return isArchived(table)
  const wanted = state === 'draft' ? sql`` : sql`not`
  return sql<boolean>`(not ${isArchived(table)} and ${wanted} ${isDraft(table)})`
}

export function visibilityColumns({ archived, draft }: Pick<ItemState, 'archived' | 'draft'>) {
  return {
    archived_at: archived || draft ? sql<Date>`coalesce(archived_at, now())` : null,
    draft,
    draft_archived: draft && archived,
  }
}
