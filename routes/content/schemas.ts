import { Type } from '@sinclair/typebox'
import { REPORT_STATES } from '../../db/queries/content/reports.js'
import { EXPORT_FORMATS } from '../../src/domain/content/export-formats.js'
import { SourceExists } from '../../src/domain/content/refusals.js'
import { choice, flag, id, NEXT_OF_NEWEST_FIRST, newestFirst } from '../../src/http/query.js'
import { errorWith, FormClientId, nullable, optional, Timestamp } from '../../src/http/schemas.js'
import { Changes, Finding, UploadReport } from '../../src/services/content/upload/report.js'
import { ImportDone } from '../admin/schemas.js'
import { OwnerSource } from './sheet-schemas.js'

const { stats: ImportStats } = ImportDone.properties

export const CheckResponse = Type.Object({
  stats: Type.Object({
    decks: Changes,
    cards: Changes,
    cheatsheets: Changes,
    tests: Type.Optional(Changes),
    warnings: Type.Array(Finding),
  }),
  needs_force: Type.Boolean({ description: 'Whether an import with the same `force` would be refused (409).' }),
  archived: Type.Integer({ description: 'Number of cards that an import would archive.' }),
  live: Type.Integer({ description: 'Number of live cards.' }),
  archived_cheatsheets: Type.Integer({ description: 'Number of cheat sheets that an import would archive.' }),
  live_cheatsheets: Type.Integer(),
})

export const ContentState = Type.Object({
  last_import: nullable(
    Type.Object({
      at: Timestamp,
      by_name: nullable(Type.String({ description: 'Display name.' })),
      by: nullable(Type.String({ description: 'User name; null on the command line and at start.' })),
      via: Type.String({ enum: ['session', 'token', 'cli', 'start'] }),
      outcome: Type.String({ enum: ['done', 'refused'] }),
      error: nullable(Type.String({ description: 'German reason of a refusal.' })),
      stats: nullable(Type.Object({ ...ImportStats.properties, warnings: Type.Array(Finding) })),
      errors: Type.Array(Finding, { description: 'The first 200 faults of the content.' }),
    }),
  ),
  decks: Type.Integer({ description: 'Number of live decks; cards and cheat sheets likewise.' }),
  cards: Type.Integer(),
  cheatsheets: Type.Integer(),
  archived_decks: Type.Array(Type.Object({ slug: Type.String(), name: Type.String(), archived_at: Timestamp }), {
    description: 'Latest first.',
  }),
  content_dir: Type.String({ description: 'Content folder.', examples: ['/app/content'] }),
})

export const ExportQuery = Type.Object({
  format: choice(EXPORT_FORMATS, 'Required without `source`.'),
  source: id('int64', 'Id of a source; absent or empty means all content.'),
  deck: optional('Slug of a deck; absent or empty means all decks.', 'git'),
  progress: flag("Adds the caller's progress; only with `apkg`."),
})

export const ExportFile = Type.String({ format: 'binary', description: 'The file.' })

export const ReportsQuery = Type.Object({
  state: choice(REPORT_STATES, 'Absent or empty means all.'),
  ...newestFirst({ maximum: 200, fallback: 50, cursor: 'int64' }),
})

export const Report = Type.Object(
  {
    id: Type.Integer(),
    card: Type.Object({
      id: Type.Integer(),
      question: Type.String(),
      answer: Type.String(),
      version: Type.Integer(),
      deck: Type.Object({ slug: Type.String(), name: Type.String() }),
      archived: Type.Boolean({ description: 'Whether learners do not see the card.' }),
      source: nullable({
        ...OwnerSource,
        description: 'Null for the content folder, released content, and rows inserted by scripts.',
      }),
    }),
    card_changed: Type.Boolean({ description: 'Whether the card has changed since the report.' }),
    text: Type.String({ description: 'May be empty with a suggestion.' }),
    suggestion: nullable(
      Type.Object(
        { question: Type.String(), answer: Type.String() },
        { description: 'Text that the learner suggests.' },
      ),
    ),
    by_name: nullable(Type.String({ description: 'Display name of the learner.' })),
    by: nullable(Type.String({ description: 'User name of the learner; null if the account has been deleted.' })),
    created_at: Timestamp,
    file: nullable(
      Type.String({ description: 'Path relative to the content folder; null if no file describes the deck.' }),
    ),
    line: nullable(Type.Integer({ description: 'Null if the file has faults or lacks the card.' })),
    settled_at: nullable(Timestamp),
    settled_by: nullable(Type.String()),
    settled_by_name: nullable(Type.String()),
    outcome: Type.Unsafe<'accepted' | 'declined' | null>({
      type: ['string', 'null'],
      enum: ['accepted', 'declined', null],
      description: 'For a card of the content folder, an accepted report stays open until an editor settles it.',
    }),
    message: nullable(Type.String({ description: 'Message for the learner.' })),
  },
  { title: 'CardReport' },
)

export const ReportList = Type.Object({
  reports: Type.Array(Report),
  open: Type.Integer({ description: 'Number of all open reports of cards that the caller may edit.' }),
  ...NEXT_OF_NEWEST_FIRST,
})

export const ReportParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['42'] }) })

export const ReportDecision = Type.Object(
  {
    settled: Type.Optional(Type.Boolean({ description: '`false` reopens the report.', examples: [true] })),
    accept: Type.Optional(
      Type.Literal(true, {
        description: 'Makes the suggestion a new version of the card, with the learner as its author.',
      }),
    ),
    question: Type.Optional(Type.String({ description: 'With `accept`: instead of the suggested question.' })),
    answer: Type.Optional(Type.String({ description: 'With `accept`: instead of the suggested answer.' })),
    version: Type.Optional(
      Type.Integer({
        description:
          'With `accept`: the version that the caller saw; if absent, the card must be unchanged since the report.',
      }),
    ),
    decline: Type.Optional(
      Type.String({
        description: 'Declines the report, with this message for the learner; 1 to 1,000 characters.',
        examples: ['Das steht schon auf der nächsten Karte.'],
      }),
    ),
  },
  { description: 'One of `settled`, `accept` and `decline`.', examples: [{ settled: true }] },
)

export const DecidedReport = Type.Object({
  ...Report.properties,
  paste: Type.Optional(
    Type.String({ description: 'After `accept`, for a card of the content folder: its text to paste into the file.' }),
  ),
})

const FLAG = { type: 'boolean', default: false }

/** A parameter of an upload, which handlers get as text, because `parseUploadQuery` also parses the command line */
function text(schema: object, description: string, example: string | number | boolean) {
  return Type.Optional(Type.Unsafe<string>({ ...schema, description, examples: [example] }))
}

export const UploadQuery = Type.Object({
  name: optional('Name of the file or source; optional with `source`.', 'Netzwerk.apkg'),
  source: text({ type: 'integer', format: 'int32' }, 'Id of the source to update.', 3),
  new: text(FLAG, 'Creates another source even if one has the same name; not with `source`.', false),
  deck: optional('Deck of all cards, overrides the file; not for an archive.', ''),
  level: optional('Level of all cards, overrides the file.', ''),
  columns: optional(
    `What the columns of a table are, in their order, separated by commas: \`question\`, \`answer\`, \`explanation\`,
\`wrong\` (a wrong answer), \`option\` and \`correct\` (answers to choose, and the letters or numbers of the right ones),
\`level\`, \`deck\`, \`id\`, \`guid\` (of an Anki note), \`tags\`, or \`-\` for a column that is not imported. Remembered for the source. Required for a
table of more than two columns whose headings are unknown.`,
    'question,answer,-,level',
  ),
  separator: text(
    { type: 'string', enum: ['tab', 'semicolon', 'comma', 'pipe'] },
    'Separator of the columns; default: found out.',
    'tab',
  ),
  headings: text({ type: 'boolean' }, 'With `columns`: whether the first row has headings; default: found out.', true),
  mirror: text(FLAG, 'Archives cards and decks of the source that the file lacks.', false),
  keep: text(
    { type: 'string', enum: ['ours', 'theirs'], default: 'ours' },
    '`theirs` replaces texts that were edited in the browser with those of the file; `ours` keeps them.',
    'ours',
  ),
  theirs: optional('Ids of cards whose changed text the file replaces, separated by commas.', ''),
  active: text(FLAG, 'Activates new decks for all learners; otherwise each learner may activate them.', false),
  check: text(FLAG, 'Only checks and writes nothing.', true),
})

export const UploadFile = Type.String({ format: 'binary', description: 'The file.' })

const StoredKind = Type.String({ enum: ['anki', 'table', 'archive', 'written'], examples: ['written'] })

const SourceName = Type.String({ description: '1 to 200 characters after trimming.', examples: ['Netzwerk'] })

export const UploadDone = Type.Object({
  message: Type.String({ examples: ['Import abgeschlossen'] }),
  check: Type.Boolean({ description: 'Whether nothing was written.' }),
  ...UploadReport.properties,
})

export const UploadRefused = errorWith(
  {
    errors: Type.Optional(
      Type.Array(Finding, { description: 'Faults of the file; at most ten of each kind and 200 in all.' }),
    ),
    errors_total: Type.Optional(Type.Integer({ description: 'All faults of the file.' })),
  },
  'UploadError',
)

/**
 * Refusal for an upload that has the name of an existing source but neither `source` nor `new`, with an example source
 */
export const SOURCE_EXISTS = new SourceExists({ id: 3, name: 'Netzwerk' })

export const SourceList = Type.Object({
  sources: Type.Array(
    Type.Object({
      id: Type.Integer(),
      kind: StoredKind,
      name: Type.String(),
      file_name: nullable(
        Type.String({
          description: 'Null without a file: if a table was pasted or the source is written in the browser.',
        }),
      ),
      decks: Type.Integer({ description: 'Number of live decks; cards likewise.' }),
      cards: Type.Integer(),
      size_bytes: Type.Integer({ description: 'Size of the latest upload; 0 without one.' }),
      created_at: Timestamp,
      created_by: nullable(Type.String({ description: 'Null on the command line.' })),
      updated_at: Timestamp,
      updated_by: nullable(Type.String()),
      archived_at: nullable(Timestamp),
    }),
  ),
})

export const SourceParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['3'] }) })

export const SourceBody = Type.Object({ name: SourceName })

export const CreateSourceBody = Type.Object({ name: SourceName, client_id: FormClientId })

export const SourceResponse = Type.Object({
  source: Type.Object({ id: Type.Integer({ examples: [3] }), kind: StoredKind, name: SourceName }),
})

export const EditorList = Type.Object({
  editors: Type.Array(
    Type.Object({
      id: Type.Integer({ examples: [7] }),
      username: Type.String({ examples: ['erika'] }),
      display_name: Type.String({ examples: ['Erika Muster'] }),
    }),
    { description: 'By user name.' },
  ),
})

export const EditorParams = Type.Object({
  ...SourceParams.properties,
  username: Type.String({ description: 'The exact user name.', examples: ['erika'] }),
})

export const AdoptBody = Type.Object({
  deck: optional('Slug of a deck; exactly one of `deck` and `sheet` is required.', 'git'),
  sheet: optional('Slug of a cheat sheet.', 'git-befehle'),
})

export const PurgeQuery = Type.Object({
  purge: flag('Deletes everything permanently, with all progress.'),
})

export const MediaParams = Type.Object({
  sha: Type.String({ description: 'The SHA-256 in hex, with or without an extension.', examples: ['e3b0c442….png'] }),
})

export const PictureFile = Type.Unsafe<Buffer>({ type: 'string', format: 'binary' })

export const UploadedPicture = Type.Object({
  sha: Type.String({ description: 'SHA-256 in hex.' }),
  address: Type.String({ description: 'Address of the picture in Markdown.', examples: ['media/e3b0c442….png'] }),
  width: Type.Integer({ description: 'Pixels, like `height`.' }),
  height: Type.Integer(),
})
