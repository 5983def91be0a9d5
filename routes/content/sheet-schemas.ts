import { Type } from '@sinclair/typebox'
import type { ChangeKind } from '../../db/column-types.js'
import { EDITED_STATES } from '../../db/queries/content/editing/state.js'
import { choice, id, NEXT_OF_NEWEST_FIRST, newestFirst, page } from '../../src/http/query.js'
import { EDITED_GROUP, GroupEdit, nullable, optional, Timestamp } from '../../src/http/schemas.js'

export const OwnerSource = Type.Object({
  id: Type.Integer({ examples: [3] }),
  kind: Type.String({ enum: ['anki', 'table', 'archive', 'written'] }),
  name: Type.String({ examples: ['Netzwerk'] }),
})

const CHANGE_KINDS: ChangeKind[] = [
  ...(['create', 'edit', 'bulk', 'restore', 'undo', 'suggestion', 'upload', 'folder', 'adopt'] as const),
]

export const ChangeKindSchema = Type.Unsafe<ChangeKind>({ type: 'string', enum: CHANGE_KINDS, examples: ['edit'] })

export const NullableChangeKindSchema = Type.Unsafe<ChangeKind | null>({
  type: ['string', 'null'],
  enum: [...CHANGE_KINDS, null],
  description: 'Null if no change is recorded: for an imported first version, or a change by a script.',
})

const SUMMARY = {
  id: Type.Integer(),
  slug: Type.String({ examples: ['git-log'] }),
  title: Type.String({ examples: ['Git Log'] }),
  category: Type.String({ examples: ['Git'] }),
  version: Type.Integer({
    description: 'Number of the current version; required for a change of the text.',
    examples: [1],
  }),
  ...EDITED_GROUP,
  draft: Type.Boolean({ description: 'Whether learners do not see it yet.' }),
  archived: Type.Boolean(),
  archived_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
  changed_here: Type.Boolean({ description: 'Whether its text was edited since the last upload of the source.' }),
  source: Type.Unsafe<{ id: number; kind: string; name: string } | null>({
    ...OwnerSource,
    type: ['object', 'null'],
    description: 'Null for the content folder, whose sheets are read-only.',
  }),
}

const EditedSheet = Type.Object({ ...SUMMARY, content_md: Type.String() }, { title: 'EditedSheet' })

export const EditedSheetResponse = Type.Object({ sheet: EditedSheet })

export const SheetsQuery = Type.Object({
  source: id('int64', 'Id of a source; absent or empty means all that the caller edits.'),
  state: choice(EDITED_STATES, 'Absent or empty means all.'),
  q: optional('Part of the title, case-insensitive; absent or empty means all.', 'log'),
  ...page({ maximum: 1_000, fallback: 200, cursor: 'int64' }),
})

export const EditedSheetList = Type.Object({
  sheets: Type.Array(Type.Object(SUMMARY, { title: 'EditedSheetSummary' })),
  next_after: nullable(Type.Integer({ description: 'Null on the last page.' })),
})

const TEXTS = {
  title: Type.String({ description: 'One line of 1 to 200 characters.', examples: ['Git Log'] }),
  category: Type.String({ description: 'One line of 1 to 200 characters.', examples: ['Git'] }),
  content_md: Type.String({ description: 'Markdown.', examples: ['# Git Log\n'] }),
}

const Draft = Type.Boolean({ examples: [false] })

export const NewSheetBody = Type.Object({
  source_id: Type.Integer({ examples: [3] }),
  ...TEXTS,
  ...GroupEdit,
  draft: Type.Optional(Draft),
  client_id: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Chosen by the client; a second request with the same id returns the same sheet.',
    examples: ['7f3c1d3e5a0b4c2d'],
  }),
})

export const SheetBody = Type.Object({
  version: Type.Optional(
    Type.Integer({ description: 'The version that the change is based on; required with a text.', examples: [1] }),
  ),
  ...Type.Partial(Type.Object(TEXTS)).properties,
  ...GroupEdit,
  draft: Type.Optional(Draft),
  archived: Type.Optional(Type.Boolean({ examples: [true] })),
})

export const SheetParams = Type.Object({ slug: Type.String({ examples: ['git-log'] }) })

export const VersionsQuery = Type.Object({
  ...newestFirst({ maximum: 100, fallback: 50, cursor: 'int64' }),
})

export const SheetVersions = Type.Object({
  versions: Type.Array(
    Type.Object({
      version: Type.Integer(),
      changed_at: Timestamp,
      changed_by_name: nullable(Type.String({ description: 'Display name.' })),
      changed_by: nullable(Type.String({ description: 'User name; null if unknown or the account has been deleted.' })),
      how: NullableChangeKindSchema,
      title: Type.String(),
      category: Type.String(),
      content_md: Type.String(),
    }),
    { description: 'Newest first; fewer than `limit` if the texts are long.' },
  ),
  ...NEXT_OF_NEWEST_FIRST,
})

export const SheetVersionParams = Type.Object({
  slug: Type.String({ examples: ['git-log'] }),
  version: Type.String({ description: 'Decimal digits.', examples: ['2'] }),
})

export const RestoreBody = Type.Object({
  version: Type.Optional(Type.Integer({ description: 'The latest version that the caller has seen.', examples: [5] })),
})
