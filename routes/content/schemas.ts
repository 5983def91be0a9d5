import { Type } from '@sinclair/typebox'
import { SourceExists } from '../../src/domain/refusals.js'
import { errorWith, nullable, optional, Timestamp } from '../../src/http/schemas.js'
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
  format: optional('`apkg`, `csv` or `markdown`; required.', 'apkg'),
  deck: optional('Its slug; absent or empty means all decks.', 'git'),
  progress: optional('`true` or `false`; only with `apkg`: the own progress, too.', 'false'),
})

export const ExportFile = Type.String({ format: 'binary', description: 'The file.' })

export const ReportsQuery = Type.Object({
  state: optional('`open` or `settled`; absent or empty means all.', 'open'),
  before: optional('The `next_before` of the page before.', '42'),
  limit: optional('1 to 200, 50 when absent; numbers beyond are cut.', '20'),
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

export const UploadQuery = Type.Object({
  name: optional('The name of the file, or of the source; may be missing with `source`.', 'Netzwerk.apkg'),
  source: optional('The id of the source that it updates.', ''),
  new: optional('`true` makes another source although there is one of that name.', 'false'),
  deck: optional('The deck of all cards, whatever the file says; not for an archive.', ''),
  level: optional('The level of all cards, whatever the file says.', ''),
  mirror: optional('`true` archives what the source had and the file lacks.', 'false'),
  check: optional('`true` writes nothing.', 'true'),
})

export const UploadFile = Type.String({ format: 'binary', description: 'The file.' })

const Kind = Type.String({ enum: ['anki', 'table', 'archive'] })

const Texts = { question: Type.String(), answer: Type.String() }

export const UploadDone = Type.Object({
  message: Type.String({ examples: ['Import abgeschlossen'] }),
  check: Type.Boolean({ description: 'Whether nothing was written.' }),
  source: Type.Object({
    id: nullable(Type.Integer({ description: 'Null when an import would make the source.' })),
    kind: Kind,
    name: Type.String({ examples: ['Netzwerk'] }),
  }),
  existing: nullable(
    Type.Object(
      { id: Type.Integer(), name: Type.String() },
      { description: 'An equally named source that is taken for the one that is meant; an import asks to say so.' },
    ),
  ),
  stats: Type.Object({
    decks: Changes,
    cards: Changes,
    cheatsheets: Changes,
    pictures: Type.Object({ created: Type.Integer(), unchanged: Type.Integer() }),
    duration_ms: Type.Integer({ examples: [412] }),
    warnings: Type.Array(Place, {
      description: 'What was imported, or left out, otherwise than its author may have meant; at most 200.',
    }),
    warnings_total: Type.Integer(),
  }),
  decks: Type.Array(
    Type.Object({
      slug: Type.String({ examples: ['netz-tcp'] }),
      name: Type.String({ examples: ['Netz::TCP'] }),
      created: Type.Integer({ description: 'Cards; each is counted once.' }),
      updated: Type.Integer(),
      moved: Type.Integer({ description: 'From another deck, be it with another text.' }),
      unchanged: Type.Integer(),
      archived: Type.Integer(),
    }),
    { description: 'At most 200.' },
  ),
  examples: Type.Array(
    Type.Object({
      deck: Type.String({ description: 'Its slug.' }),
      kind: Type.String({ enum: ['created', 'updated'] }),
      before: nullable(Type.Object(Texts)),
      after: Type.Object({ ...Texts, level: Type.String() }),
    }),
    { description: 'At most 10 cards.' },
  ),
})

export const UploadRefused = errorWith(
  {
    errors: Type.Optional(Type.Array(Place, { description: 'The first 200 faults of the file.' })),
    errors_total: Type.Optional(Type.Integer({ description: 'All faults of the file.' })),
  },
  'UploadError',
)

/** What an import of an equally named file is answered, with an example of a source. */
export const SOURCE_EXISTS = new SourceExists({ id: 3, name: 'Netzwerk' })

export const SourceList = Type.Object({
  sources: Type.Array(
    Type.Object({
      id: Type.Integer(),
      kind: Kind,
      name: Type.String(),
      file_name: nullable(Type.String({ description: 'Null when it had none, as a pasted table.' })),
      decks: Type.Integer({ description: 'Live ones; so are the cards.' }),
      cards: Type.Integer(),
      size_bytes: Type.Integer({ description: 'Of the latest upload.' }),
      created_at: Timestamp,
      created_by: nullable(Type.String({ description: 'Null on the command line.' })),
      updated_at: Timestamp,
      updated_by: nullable(Type.String()),
      archived_at: nullable(Timestamp),
    }),
  ),
})

export const SourceParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['3'] }) })

export const PurgeQuery = Type.Object({
  purge: optional('`true` removes everything for good, with all progress.', 'false'),
})

export const MediaParams = Type.Object({
  sha: Type.String({ description: 'The SHA-256 in hex, with or without an extension.', examples: ['e3b0c442….png'] }),
})

export const PictureFile = Type.Unsafe<Buffer>({ type: 'string', format: 'binary' })
