import { type Static, Type } from '@sinclair/typebox'
import { sortWarnings, withoutKind } from '../../../domain/content/findings.js'
import { changesOf } from '../../../domain/content/plan/types.js'
import { nameSeparator } from '../../../domain/content/upload/query.js'
import { CHOSEN_ROLES } from '../../../domain/table-layout.js'
import { isSameDefinition } from '../../../domain/tests/import-plan.js'
import { FINDING_CODE, nullable } from '../../schemas.js'
import type { ImportedTests } from '../../tests/import.js'
import type { PlannedUpload } from './plan.js'

const MAX_DECKS = 200
const MAX_SHEETS = 200
const MAX_GROUPS = 200

export const Changes = Type.Object(
  {
    created: Type.Integer({ examples: [3] }),
    updated: Type.Integer({ examples: [1] }),
    unchanged: Type.Integer({ examples: [196] }),
    archived: Type.Integer({ examples: [0] }),
  },
  { title: 'ImportChanges' },
)

export const Place = Type.Object({
  file: Type.String({ description: 'Path relative to the content folder.', examples: ['decks/git.md'] }),
  line: Type.Integer({ examples: [12] }),
  message: Type.String({ examples: ['Die Karte hat keine Antwort'] }),
})

const Kind = Type.String({ enum: ['anki', 'table', 'archive', 'written'] })

const Keep = Type.String({
  enum: ['ours', 'theirs'],
  description: '`ours`: the edited text stays; `theirs`: the file replaces it.',
})

const Texts = { question: Type.String(), answer: Type.String() }

export const Finding = Type.Object({
  ...Place.properties,
  ...FINDING_CODE,
  more: Type.Optional(
    Type.Integer({ description: 'Number of further findings of one kind; set if the entry stands for them.' }),
  ),
})

export const UploadReport = Type.Object({
  source: Type.Object({
    id: nullable(
      Type.Integer({
        description: 'Null if the import would create the source, or created none because there was nothing to write.',
      }),
    ),
    kind: Kind,
    name: Type.String({ examples: ['Netzwerk'] }),
  }),
  existing: nullable(
    Type.Object(
      { id: Type.Integer(), name: Type.String() },
      {
        description:
          'Source with the same name: a check assumes that it is meant; an import requires `source` or `new`.',
      },
    ),
  ),
  stats: Type.Object({
    decks: Changes,
    cards: Changes,
    cheatsheets: Changes,
    tests: Type.Optional(Changes),
    pictures: Type.Object({ created: Type.Integer(), unchanged: Type.Integer() }),
    duration_ms: Type.Integer({ examples: [412] }),
    warnings: Type.Array(Finding, {
      description:
        "Content that was imported or omitted, perhaps against the author's intention; at most ten of each kind and 200 in all.",
    }),
    warnings_total: Type.Integer(),
  }),
  table: nullable(
    Type.Object(
      {
        separator: nullable(Type.String({ enum: ['tab', 'semicolon', 'comma', 'pipe', null] })),
        headings: Type.Boolean({ description: 'Whether the first row has headings.' }),
        unclear: Type.Boolean({
          description: 'Whether `columns` is required. Nothing else was read then, and an import is refused.',
        }),
        columns: Type.Array(
          Type.Object({
            heading: nullable(Type.String()),
            examples: Type.Array(Type.String(), {
              description: 'Cells of the first three rows, at most 60 characters.',
            }),
            role: nullable(Type.String({ enum: [...CHOSEN_ROLES, null], description: 'Null: not imported.' })),
          }),
        ),
      },
      { description: 'What the columns of a table were taken for; null for other files.' },
    ),
  ),
  decks: Type.Array(
    Type.Object({
      slug: Type.String({ examples: ['netz-tcp'] }),
      name: Type.String({ examples: ['Netz::TCP'] }),
      created: Type.Integer({ description: 'Number of cards; each card counts in one field only.' }),
      updated: Type.Integer(),
      moved: Type.Integer({ description: 'Cards moved from another deck, even with changed text.' }),
      unchanged: Type.Integer(),
      archived: Type.Integer(),
    }),
    { description: 'At most 200.' },
  ),
  edited: Type.Object(
    {
      total: Type.Integer(),
      cards: Type.Array(
        Type.Object({
          id: Type.Integer(),
          deck: Type.String({ description: 'Slug of the deck.' }),
          keep: Keep,
          ours: nullable(Type.Object(Texts)),
          theirs: Type.Object(Texts),
        }),
        { description: 'At most 200.' },
      ),
      cheatsheets: Type.Array(Type.Object({ slug: Type.String(), title: Type.String(), keep: Keep }), {
        description: 'At most 200.',
      }),
      tests: Type.Array(Type.Object({ slug: Type.String(), name: Type.String(), keep: Keep }), {
        description: 'At most 200.',
      }),
    },
    {
      description:
        'Cards, sheets and tests that were edited in the browser and differ from the file, sheets and tests also in their group.',
    },
  ),
  groups: Type.Array(
    Type.Object({
      kind: Type.String({ enum: ['deck', 'sheet', 'test'] }),
      slug: Type.String({ examples: ['git-en'] }),
      name: Type.String({ examples: ['Git for everyone'] }),
      lang: Type.String({ examples: ['en'] }),
      translation_of: nullable(Type.String({ description: 'Slug of the original.', examples: ['git'] })),
    }),
    { description: 'Stored decks, sheets and tests that get another language or original; at most 200.' },
  ),
  examples: Type.Array(
    Type.Object({
      deck: Type.String({ description: 'Slug of the deck.' }),
      kind: Type.String({ enum: ['created', 'updated'] }),
      before: nullable(Type.Object(Texts)),
      after: Type.Object({ ...Texts, level: Type.String() }),
    }),
    { description: 'At most 10 cards.' },
  ),
})

export type UploadReport = Static<typeof UploadReport>

/**
 * Returns the report of an upload, with the source as it is before the upload.
 * @param tests outcome of `checkTests` or `writeTests`; undefined if nothing was written
 */
export function describeUpload(
  { ready, target: { source, name, isGuessed }, plan, pictures, texts, tests: testPlan }: PlannedUpload,
  tests: ImportedTests = { changes: undefined, warnings: [] },
): UploadReport {
  const { upload, table, warnings, warningsTotal, started } = ready
  const keep = (isKept: boolean) => (isKept ? 'ours' : 'theirs')
  const regrouped = new Set(testPlan.translations.map(({ slug }) => slug))
  const editedTests = testPlan.items.filter(({ row, test, isKept }) => {
    if (row?.edited !== true) return false
    return (isKept && row.is_live) || regrouped.has(test.slug) || !isSameDefinition(row.definition, test.definition)
  })
  return {
    source: { id: source?.id ?? null, kind: source?.kind ?? upload.kind, name },
    existing: isGuessed && source !== null ? { id: source.id, name: source.name } : null,
    stats: {
      ...changesOf(plan),
      ...(tests.changes !== undefined && { tests: tests.changes }),
      pictures: { created: pictures.length, unchanged: ready.pictures.length - pictures.length },
      duration_ms: Math.round(performance.now() - started),
      warnings: sortWarnings([...[...warnings, ...plan.warnings].map(withoutKind), ...tests.warnings]),
      warnings_total: warningsTotal + plan.warningsTotal + tests.warnings.length,
    },
    table: table && {
      separator: nameSeparator(table.separator),
      headings: table.hasHeadings,
      unclear: table.isUnclear,
      columns: table.columns,
    },
    decks: plan.perDeck.slice(0, MAX_DECKS),
    edited: {
      total: plan.edited.cardsTotal + plan.edited.sheets.length + editedTests.length,
      cards: plan.edited.cards.map(({ id, deck, card: { question, answer }, isKept }) => ({
        id,
        deck: deck.slug,
        keep: keep(isKept),
        ours: texts.get(id) ?? null,
        theirs: { question, answer },
      })),
      cheatsheets: plan.edited.sheets
        .slice(0, MAX_SHEETS)
        .map(({ sheet: { slug, title }, isKept }) => ({ slug, title, keep: keep(isKept) })),
      tests: editedTests
        .slice(0, MAX_SHEETS)
        .map(({ test: { slug, definition }, isKept }) => ({ slug, name: definition.name, keep: keep(isKept) })),
    },
    groups: listGroups(plan, testPlan, upload.sheets).slice(0, MAX_GROUPS),
    examples: plan.examples.map(({ deck, id, card: { question, answer, level } }) => ({
      deck: deck.slug,
      kind: id === null ? 'created' : 'updated',
      before: (id === null ? undefined : texts.get(id)) ?? null,
      after: { question, answer, level },
    })),
  }
}

/** Returns the stored items whose language or original the upload changes. */
function listGroups(
  { deckIds, translations }: PlannedUpload['plan'],
  { items, translations: tests }: PlannedUpload['tests'],
  sheets: PlannedUpload['ready']['upload']['sheets'],
): UploadReport['groups'] {
  const names = {
    deck: new Map([...deckIds.keys()].map(({ slug, name }) => [slug, name])),
    sheet: new Map(sheets.map(({ slug, title }) => [slug, title])),
    test: new Map(items.map(({ test: { slug, definition } }) => [slug, definition.name])),
  }
  const changes = { deck: translations.decks, sheet: translations.sheets, test: tests }
  return (['deck', 'sheet', 'test'] as const).flatMap((kind) =>
    changes[kind].flatMap(({ id, slug, lang, translation_of }) =>
      id === undefined ? [] : [{ kind, slug, name: names[kind].get(slug) ?? slug, lang, translation_of }],
    ),
  )
}
