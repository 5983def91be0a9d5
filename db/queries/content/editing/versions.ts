import { type Kysely, type Selectable, sql } from 'kysely'
import { CARD_PARTS, type CardTexts } from '../../../../src/domain/content/card-texts.js'
import type { ChangeKind } from '../../../column-types.js'
import type { Database } from '../../../types.js'
import { listTexts } from '../card-texts.js'
import { liveVersion } from './state.js'

// Raw SQL: tables and columns depend on the kind, and a window function limits the size of a page.

export type SheetTexts = Pick<Selectable<Database['cheatsheets']>, 'title' | 'category' | 'content_md'>

interface Texts {
  cards: CardTexts
  cheatsheets: SheetTexts
}

const KINDS = {
  cards: { versions: 'card_versions', key: 'card_id', texts: CARD_PARTS },
  cheatsheets: { versions: 'sheet_versions', key: 'cheatsheet_id', texts: ['title', 'category', 'content_md'] },
} as const

/** A text of a card or sheet with the change that wrote it. */
export type Version<Kind extends keyof Texts> = Texts[Kind] & {
  version: number
  changed_at: Date
  /** User name of the author; null if unknown or deleted */
  changed_by: string | null
  /** Display name of the author */
  changed_by_name: string | null
  /** User name of the editor who accepted the author's suggestion */
  accepted_by: string | null
  /** Null if no change is recorded, for example for a text that a script has written */
  how: ChangeKind | null
}

const MAX_VERSION = 2 ** 31 - 1
/** Total size in bytes of the texts of a page at which the page ends */
const PAGE_BYTES = 4 * 2 ** 20

/**
 * Returns texts of a card or sheet with a lower version than `before`, newest first; fewer than `limit` if the texts
 * are long. Version 1 is always stored, so the last page ends with it.
 */
export async function listVersions<Kind extends keyof Texts>(
  db: Kysely<Database>,
  kind: Kind,
  id: number,
  before: number = MAX_VERSION,
  limit: number,
): Promise<Version<Kind>[]> {
  const { versions, key, texts } = KINDS[kind]
  const columns = sql.join(texts.map((name) => sql.ref(name)))
  // The row of version n - 1 refers to the change that wrote version n. The database keeps version 1 and the latest 51
  // rows. The oldest of the 51 is not returned once the row that refers to its change has been deleted.
  const { rows } = await sql<Version<Kind>>`
    with texts as (
      select version, ${columns} from ${sql.table(versions)} where ${sql.ref(key)} = ${id}
      union all
      select ${liveVersion(kind)}, ${columns} from ${sql.table(kind)} where id = ${id}
    ),
    page as (
      select texts.*, sum(bytes) over (order by version desc) - bytes as bytes_before
      from texts, octet_length(concat(${columns})) as bytes
      where version < ${Math.min(before, MAX_VERSION)}
    )
    select page.version, ${columns}, coalesce(former.superseded_at, item.created_at) as changed_at,
      authors.username as changed_by, authors.display_name as changed_by_name, acceptors.username as accepted_by, change.how
    from page
    join (select created_at from ${sql.table(kind)} where id = ${id}) as item on true
    left join (
      select version, change_id, superseded_at from ${sql.table(versions)} where ${sql.ref(key)} = ${id}
    ) as former on former.version = page.version - 1
    left join content_change_items as creation
      on creation.${sql.ref(key)} = ${id} and creation.before is null and page.version = 1
    left join content_changes as change on change.id = coalesce(former.change_id, creation.change_id)
    left join users as authors on authors.id = change.user_id
    left join users as acceptors on acceptors.id = change.editor_id
    where bytes_before < ${PAGE_BYTES} and (page.version = 1 or former.version is not null)
    order by page.version desc limit ${limit}`.execute(db)
  return rows
}

/** Returns a superseded text of a card or sheet; undefined if it is not stored. */
export async function findVersion<Kind extends keyof Texts>(
  db: Kysely<Database>,
  kind: Kind,
  id: number,
  version: number,
): Promise<Texts[Kind] | undefined> {
  const { versions, key, texts } = KINDS[kind]
  const { rows } = await sql<Texts[Kind]>`
    select ${sql.join(texts.map((name) => sql.ref(name)))} from ${sql.table(versions)}
    where ${sql.ref(key)} = ${id} and version = ${version}`.execute(db)
  return rows[0]
}

export async function findCardVersions(
  db: Kysely<Database>,
  wanted: readonly { id: number; version: number }[],
): Promise<Map<number, CardTexts>> {
  const rows = JSON.stringify(wanted)
  const { rows: found } = await sql<CardTexts & { id: number }>`
    select card_id as id, ${listTexts((column) => column)}, exercise
    from jsonb_to_recordset(${rows}::jsonb) as wanted (id integer, version integer)
    join card_versions on card_id = wanted.id and card_versions.version = wanted.version`.execute(db)
  return new Map(found.map(({ id, ...texts }) => [id, texts]))
}
