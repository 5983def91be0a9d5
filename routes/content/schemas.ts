import { Type } from '@sinclair/typebox'
import { nullable, Timestamp } from '../../src/http/schemas.js'
import { Changes, ImportDone, Place } from '../admin/schemas.js'

const { stats: ImportStats } = ImportDone.properties

export const CheckAnswer = Type.Object({
  stats: Type.Object({ decks: Changes, cards: Changes, cheatsheets: Changes, warnings: Type.Array(Place) }),
  needs_force: Type.Boolean({ description: 'Whether an import with the same `force` would be refused (409).' }),
  archived: Type.Integer({ description: 'Cards that an import would archive,' }),
  live: Type.Integer({ description: 'of so many.' }),
  archived_cheatsheets: Type.Integer({ description: 'The same for cheat sheets.' }),
  live_cheatsheets: Type.Integer(),
})

export const ContentState = Type.Object({
  last_import: nullable(
    Type.Object({
      at: Timestamp,
      by: nullable(Type.String({ description: 'The account; null on the command line and at a start.' })),
      via: Type.String({ enum: ['session', 'token', 'cli', 'start'] }),
      outcome: Type.String({ enum: ['done', 'refused'] }),
      error: nullable(Type.String({ description: 'Why it was refused, in German.' })),
      stats: nullable(ImportStats),
      errors: Type.Array(Place, { description: 'The first 200 faults of the content.' }),
    }),
  ),
  decks: Type.Integer({ description: 'Live ones; so are the cards and cheat sheets.' }),
  cards: Type.Integer(),
  cheatsheets: Type.Integer(),
  archived_decks: Type.Array(Type.Object({ slug: Type.String(), name: Type.String(), archived_at: Timestamp }), {
    description: 'The latest ones first.',
  }),
  content_dir: Type.String({ description: 'The folder that the import reads.', examples: ['/app/content'] }),
})

export const ExportQuery = Type.Object({
  format: Type.Optional(Type.String({ description: '`apkg`, `csv` or `markdown`; required.', examples: ['apkg'] })),
  deck: Type.Optional(Type.String({ description: 'Its slug; absent or empty means all decks.', examples: ['git'] })),
  progress: Type.Optional(
    Type.String({ description: '`true` or `false`; only with `apkg`: the own progress, too.', examples: ['false'] }),
  ),
})

export const ExportFile = Type.String({ format: 'binary', description: 'The file.' })

export const ReportsQuery = Type.Object({
  state: Type.Optional(
    Type.String({ description: '`open` or `settled`; absent or empty means all.', examples: ['open'] }),
  ),
  before: Type.Optional(Type.String({ description: 'The `next_before` of the page before.', examples: ['42'] })),
  limit: Type.Optional(
    Type.String({ description: '1 to 200, 50 when absent; numbers beyond are cut.', examples: ['20'] }),
  ),
})

export const Report = Type.Object(
  {
    id: Type.Integer(),
    card: Type.Object({
      id: Type.Integer(),
      question: Type.String(),
      deck: Type.Object({ slug: Type.String(), name: Type.String() }),
      archived: Type.Boolean({ description: 'The card, or its deck.' }),
    }),
    card_changed: Type.Boolean({ description: 'Whether the card has been changed since it was reported.' }),
    text: Type.String(),
    by: nullable(Type.String({ description: 'The user name; null when the account has been deleted.' })),
    created_at: Timestamp,
    file: nullable(
      Type.String({ description: 'Relative to the content folder; null when no file describes the deck now.' }),
    ),
    line: nullable(Type.Integer({ description: 'Null when the file has faults or no such card.' })),
    settled_at: nullable(Timestamp),
    settled_by: nullable(Type.String()),
  },
  { title: 'CardReport' },
)

export const ReportList = Type.Object({
  reports: Type.Array(Report),
  open: Type.Integer({ description: 'All open reports.' }),
  next_before: nullable(Type.Integer({ description: 'Null on the last page.' })),
})

export const ReportParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['42'] }) })

export const SettleBody = Type.Object({ settled: Type.Boolean({ examples: [true] }) })
