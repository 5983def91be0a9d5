import { type Kysely, sql } from 'kysely'
import type { Editable } from '../../../../src/domain/content/editing/rights.js'
import type { StoredKind } from '../../../../src/domain/content/upload/incoming.js'
import type { ChangeKind } from '../../../column-types.js'
import type { Database } from '../../../types.js'
import { readInBatches } from '../../read-in-batches.js'
import { isEditable } from './cards.js'

export interface ListedChange {
  id: number
  at: Date
  /** User name of the author; null if unknown or deleted */
  by: string | null
  /** Display name of the author */
  by_name: string | null
  /** User name of the editor who accepted the author's suggestion */
  accepted_by: string | null
  accepted_by_name: string | null
  how: ChangeKind
  summary: unknown
  undoes: number | null
  undone_by: number | null
  source_id: number | null
  source_kind: StoredKind | null
  source_name: string | null
  /** Number of changed cards and sheets; for an import, only those whose text it replaced */
  items: number
  /** Whether all items of the change are cards that existed before it; false for a change without items */
  is_undoable: boolean
  /**
   * Id of the card if the only item of the change is a card that the caller may edit; otherwise null. The following
   * fields describe the only item of a change; they are null if there are several items, or if the caller may not edit
   * it.
   */
  card_id: number | null
  sheet_slug: string | null
  /** First 500 characters of the question, or title of the sheet */
  title: string | null
  deck_slug: string | null
  deck_name: string | null
}

export interface ChangesFilter {
  editable: Editable
  sourceId?: number | undefined
  /** User name of the author, or of the editor who accepted the suggestion */
  by?: string | undefined
  /** Only changes with a lower id */
  before?: number | undefined
}

export async function listChanges(db: Kysely<Database>, filter: ChangesFilter, limit: number): Promise<ListedChange[]> {
  return readInBatches<ListedChange>(
    (last, most) => readChanges(db, { ...filter, before: last?.id ?? filter.before }, most),
    limit,
  )
}

async function readChanges(
  db: Kysely<Database>,
  { editable, sourceId, by, before }: ChangesFilter,
  limit: number,
): Promise<ListedChange[]> {
  const page = db
    .selectFrom('content_changes')
    .leftJoin('users as authors', 'authors.id', 'user_id')
    .leftJoin('users as acceptors', 'acceptors.id', 'editor_id')
    .select(['content_changes.id', 'at', 'authors.username as by', 'authors.display_name as by_name'])
    .select(['acceptors.username as accepted_by', 'acceptors.display_name as accepted_by_name'])
    .select(['how', 'summary', 'undoes', 'source_id'])
    .where(isEditable(editable, 'source_id').$castTo<boolean>())
    .$if(sourceId !== undefined, (query) => query.where('source_id', '=', sourceId ?? 0))
    .$if(by !== undefined, (query) =>
      query.where(({ or, eb }) => or([eb('authors.username', '=', by ?? ''), eb('acceptors.username', '=', by ?? '')])),
    )
    .$if(before !== undefined, (query) => query.where('content_changes.id', '<', before ?? 0))
    .orderBy('content_changes.id', 'desc')
    .limit(limit)
  return db
    .with('page', () => page)
    .selectFrom('page')
    .leftJoin('content_sources', 'content_sources.id', 'page.source_id')
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('content_change_items')
          .select(({ fn }) => [
            fn.countAll<number>().as('noted'),
            fn.max<number | null>('card_id').as('card_id'),
            fn.max<number | null>('cheatsheet_id').as('cheatsheet_id'),
            sql<boolean>`coalesce(bool_and(before is not null and card_id is not null), false)`.as('is_undoable'),
          ])
          .whereRef('change_id', '=', 'page.id')
          .as('noted'),
      (join) => join.onTrue(),
    )
    .leftJoin('cards', (join) =>
      join
        .onRef('cards.id', '=', 'noted.card_id')
        .on('noted.noted', '=', 1)
        // Omits a card that has moved to a source that the caller may not edit.
        .on(({ exists, selectFrom, or, lit }) =>
          or([
            lit(editable === 'all'),
            exists(
              selectFrom('imported_decks')
                .select('imported_decks.deck_id')
                .whereRef('imported_decks.deck_id', '=', 'cards.deck_id')
                .where(isEditable(editable, 'imported_decks.source_id').$castTo<boolean>()),
            ),
          ]),
        ),
    )
    .leftJoin('decks', 'decks.id', 'cards.deck_id')
    .leftJoin('cheatsheets', (join) =>
      join.onRef('cheatsheets.id', '=', 'noted.cheatsheet_id').on('noted.noted', '=', 1),
    )
    .select(['page.id', 'page.at', 'page.by', 'page.by_name', 'page.accepted_by', 'page.accepted_by_name'])
    .select(['page.how', 'page.summary', 'page.undoes'])
    .select(['page.source_id', 'kind as source_kind', 'content_sources.name as source_name'])
    .select(['cards.id as card_id', 'cheatsheets.slug as sheet_slug'])
    .select(['decks.slug as deck_slug', 'decks.name as deck_name'])
    .select(({ fn, ref, selectFrom, val }) => [
      fn.coalesce('noted.is_undoable', val(false)).as('is_undoable'),
      sql<string | null>`coalesce(left(${ref('question')}, 500), ${ref('title')})`.as('title'),
      selectFrom('content_changes as undo').select('undo.id').whereRef('undo.undoes', '=', 'page.id').as('undone_by'),
      // An import records no items, only the texts that it supersedes.
      sql<number>`case when ${ref('noted.noted')} > 0 then ${ref('noted.noted')} else (
        (select count(*) from card_versions where change_id = page.id)
          + (select count(*) from sheet_versions where change_id = page.id)
      ) end`.as('items'),
    ])
    .orderBy('page.id', 'desc')
    .execute()
}
