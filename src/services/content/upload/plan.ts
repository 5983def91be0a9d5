import type { Kysely } from 'kysely'
import { findSource, findSourceByName, type Source } from '../../../../db/queries/content/sources.js'
import {
  findCardsById,
  findCardsOfNotes,
  findCardsWithoutNote,
  findCardTexts,
  findSourceCards,
  findStoredDecks,
  findStoredSheets,
} from '../../../../db/queries/content/stored.js'
import { findStoredTests } from '../../../../db/queries/tests/definitions.js'
import type { Database } from '../../../../db/types.js'
import { guidOf } from '../../../domain/anki/index.js'
import { type Editable, mayEdit } from '../../../domain/content/editing/rights.js'
import { sortWarnings } from '../../../domain/content/findings.js'
import { GroupedFindings, type ListedFinding, withoutKind } from '../../../domain/content/grouped-findings.js'
import { lintPlan } from '../../../domain/content/plan/lint.js'
import {
  type ChangesWithTests,
  changesOf,
  type DeckChanges,
  type Digests,
  type OwnedCard,
  type Upload,
  type UploadCard,
  type UploadPlan,
} from '../../../domain/content/plan/types.js'
import { planUpload, type UploadPlanOptions } from '../../../domain/content/plan/upload.js'
import { FaultyContent, FaultyUpload, OtherKind, SOURCE_NOT_FOUND } from '../../../domain/content/refusals.js'
import type { TestSource } from '../../../domain/content/types.js'
import type { Incoming, IncomingPicture, SourceKind, StoredKind } from '../../../domain/content/upload/incoming.js'
import { nameSeparator } from '../../../domain/content/upload/query.js'
import type { TableDescription } from '../../../domain/table-layout.js'
import { isSameDefinition, planUploadTests, type TestPlan } from '../../../domain/tests/import-plan.js'
import { type ImportedTests, plannedDecks, type TestOrigin } from '../../tests/import.js'
import { runInTurns } from '../turns.js'

const MAX_DECKS = 200
const MAX_SHEETS = 200

/** Target of an upload: an existing source, or a new source named `name` if `source` is null. */
export interface Target {
  source: Source | null
  name: string
  /** Whether the source was found by name only */
  isGuessed: boolean
}

export interface ReadyUpload extends Pick<Incoming, 'pictures' | 'warnings' | 'warningsTotal'> {
  upload: Upload
  tests: TestSource[]
  /** Columns of a table; null for other files */
  table: TableDescription | null
  digests: Digests
  /** Start of the upload, in milliseconds of `performance.now` */
  started: number
  /** Size of the file in bytes */
  size: number
}

type Keep = 'ours' | 'theirs'

export interface UploadReport {
  source: { id: number | null; kind: StoredKind; name: string }
  /** Source that was found by its name only (`Target.isGuessed`); otherwise null */
  existing: { id: number; name: string } | null
  stats: ChangesWithTests & {
    pictures: { created: number; unchanged: number }
    duration_ms: number
    warnings: ListedFinding[]
    warnings_total: number
  }
  /** What the columns of a table were taken for; null for other files */
  table: {
    separator: string | null
    headings: boolean
    unclear: boolean
    columns: { heading: string | null; examples: string[]; role: string | null }[]
  } | null
  decks: DeckChanges[]
  /** Content that was edited since the last upload and differs from the file; at most 200 items of each kind */
  edited: {
    total: number
    cards: {
      id: number
      /** Slug of the deck */
      deck: string
      /** Text that the card has after the upload: the stored text (`ours`) or the text of the file (`theirs`) */
      keep: Keep
      ours: { question: string; answer: string } | null
      theirs: { question: string; answer: string }
    }[]
    cheatsheets: { slug: string; title: string; keep: Keep }[]
    tests: { slug: string; name: string; keep: Keep }[]
  }
  examples: {
    /** Slug of the deck */
    deck: string
    kind: 'created' | 'updated'
    before: { question: string; answer: string } | null
    after: { question: string; answer: string; level: string }
  }[]
}

/**
 * Returns the target of an upload.
 * @throws SOURCE_NOT_FOUND if the source does not exist or may not be edited
 * @throws OtherKind if a file of this kind may not update the source
 */
export async function targetOf(
  db: Kysely<Database>,
  kind: SourceKind,
  { name, sourceId, isNew = false, editable = 'all' }: TargetOptions,
): Promise<Target> {
  if (sourceId !== undefined) {
    const source = mayEdit(editable, sourceId) ? await findSource(db, sourceId) : undefined
    if (source === undefined) throw SOURCE_NOT_FOUND.at('source')
    if (!kindsFor(kind).includes(source.kind)) throw new OtherKind(source, kind)
    return { source, name: source.name, isGuessed: false }
  }
  const namesake = isNew ? undefined : await findSourceByName(db, kindsFor(kind), name, editable)
  return { source: namesake ?? null, name, isGuessed: namesake !== undefined }
}

interface TargetOptions {
  name: string
  sourceId?: number | undefined
  isNew?: boolean
  editable?: Editable
}

/** Returns the kinds of sources that a file may update: an archive can also be the export of a written source. */
function kindsFor(kind: SourceKind): StoredKind[] {
  return kind === 'archive' ? ['archive', 'written'] : [kind]
}

/**
 * Compares the upload with the database and returns the plan of changes. Cards of sources that the user may not edit
 * are not matched, so that the plan reveals nothing about them.
 * @throws FaultyUpload if a deck would become a pool or a pool would become a deck
 */
export async function planSource(
  db: Kysely<Database>,
  { upload, digests }: ReadyUpload,
  sourceId: number | undefined,
  { mirror = false, keep, theirs, editable = 'all' }: PlanOptions,
): Promise<UploadPlan> {
  const decks = await findStoredDecks(db)
  const sheets = await findStoredSheets(db)
  const cards = new Map<number, OwnedCard>()
  if (sourceId !== undefined) for (const card of await findSourceCards(db, sourceId)) cards.set(card.id, card)
  const guids = listGuids(upload, cards)
  for (const card of await findCardsOfNotes(db, guids)) cards.set(card.id, card)
  for (const card of await findExportedCards(db, guids)) cards.set(card.id, card)
  const sources = new Map(decks.map(({ id, source_id }) => [id, source_id]))
  const matched = [...cards.values()].filter(({ identity_deck_id }) =>
    mayEdit(editable, sources.get(identity_deck_id) ?? null),
  )
  const plan = planUpload(upload, digests, { sourceId, decks, sheets, cards: matched }, { mirror, keep, theirs })
  if (plan.faults.length > 0) throw new FaultyUpload(new FaultyContent(plan.faults))
  const lint = new GroupedFindings()
  await runInTurns(
    lintPlan<UploadCard>(
      plan,
      (_, { file }) => file,
      (warning) => lint.add(warning),
    ),
  )
  plan.warnings.push(...lint.list())
  plan.warningsTotal += lint.total
  return plan
}

type PlanOptions = Partial<UploadPlanOptions> & { editable?: Editable }

/** Returns the stored cards that have no guid, but that this service exports as notes with one of the given guids. */
async function findExportedCards(db: Kysely<Database>, guids: readonly string[]): Promise<OwnedCard[]> {
  if (guids.length === 0) return []
  const wanted = new Set(guids)
  const exported = new Map<number, string>()
  for (const { id, created_at } of await findCardsWithoutNote(db)) {
    const guid = guidOf({ id, created_at, guid: null, ord: null })
    if (wanted.has(guid)) exported.set(id, guid)
  }
  const cards = await findCardsById(db, [...exported.keys()])
  return cards.map((card) => ({ ...card, guid: exported.get(card.id) as string, ord: 0 }))
}

function listGuids({ decks }: Upload, cards: ReadonlyMap<number, OwnedCard>): string[] {
  const known = new Set([...cards.values()].map(({ guid, ord }) => `${ord} ${guid}`))
  const guids = new Set<string>()
  for (const deck of decks) {
    for (const { guid, ord } of deck.cards) if (guid !== null && !known.has(`${ord} ${guid}`)) guids.add(guid)
  }
  return [...guids]
}

/**
 * Returns the report of an upload. Must be called before the plan is written, because the report contains the previous
 * texts.
 */
export async function describeUpload(
  db: Kysely<Database>,
  { upload, table, pictures, warnings, warningsTotal, started }: ReadyUpload,
  plan: UploadPlan,
  missing: readonly IncomingPicture[],
  { source, name, isGuessed }: Target,
): Promise<UploadReport> {
  const texts = await findCardTexts(
    db,
    [...plan.examples, ...plan.edited.cards].flatMap(({ id }) => id ?? []),
  )
  return {
    source: { id: source?.id ?? null, kind: source?.kind ?? upload.kind, name },
    existing: isGuessed && source !== null ? { id: source.id, name: source.name } : null,
    stats: {
      ...changesOf(plan),
      pictures: { created: missing.length, unchanged: pictures.length - missing.length },
      duration_ms: Math.round(performance.now() - started),
      warnings: sortWarnings([...warnings, ...plan.warnings].map(withoutKind)),
      warnings_total: warningsTotal + plan.warningsTotal,
    },
    table: table && {
      separator: nameSeparator(table.separator),
      headings: table.hasHeadings,
      unclear: table.isUnclear,
      columns: table.columns,
    },
    decks: plan.perDeck.slice(0, MAX_DECKS),
    edited: {
      total: plan.edited.cardsTotal + plan.edited.sheets.length,
      cards: plan.edited.cards.map(({ id, deck, card: { question, answer }, isKept }) => ({
        ...{ id, deck: deck.slug, keep: isKept ? ('ours' as const) : ('theirs' as const) },
        ...{ ours: texts.get(id) ?? null, theirs: { question, answer } },
      })),
      cheatsheets: plan.edited.sheets
        .slice(0, MAX_SHEETS)
        .map(({ sheet: { slug, title }, isKept }) => ({ slug, title, keep: isKept ? 'ours' : 'theirs' })),
      tests: [],
    },
    examples: plan.examples.map(({ deck, id, card: { question, answer, level } }) => ({
      deck: deck.slug,
      kind: id === null ? 'created' : 'updated',
      before: (id === null ? undefined : texts.get(id)) ?? null,
      after: { question, answer, level },
    })),
  }
}

export async function planTests(
  db: Kysely<Database>,
  { tests }: ReadyUpload,
  plan: UploadPlan,
  sourceId: number | undefined,
  { mirror = false, keep = 'ours' }: PlanOptions,
): Promise<{ tests: TestPlan; origin: Omit<TestOrigin, 'sourceId'> }> {
  const decks = plannedDecks(plan)
  const deckSlugs = new Map(decks.map(({ source_key, slug }) => [source_key, slug]))
  // Tests refer to decks by the key in the archive; tests in exports of this service refer to them by slug.
  for (const { slug } of decks) if (!deckSlugs.has(slug)) deckSlugs.set(slug, slug)
  return {
    tests: planUploadTests(tests, await findStoredTests(db), deckSlugs, { sourceId, mirror, keep }),
    origin: { decks: new Set(deckSlugs.values()), isArchive: true },
  }
}

export function describeTests(
  { stats, edited, ...report }: UploadReport,
  { items }: TestPlan,
  { changes, warnings }: ImportedTests,
): UploadReport {
  const changedHere = items.filter(({ row, test }) => {
    return row?.edited === true && !isSameDefinition(row.definition, test.definition)
  })
  const tests = changedHere.map(({ test, isKept }): UploadReport['edited']['tests'][number] => ({
    ...{ slug: test.slug, name: test.definition.name, keep: isKept ? 'ours' : 'theirs' },
  }))
  return {
    ...report,
    stats: {
      ...stats,
      ...(changes !== undefined && { tests: changes }),
      warnings: sortWarnings([...stats.warnings, ...warnings]),
      warnings_total: stats.warnings_total + warnings.length,
    },
    edited: { ...edited, total: edited.total + tests.length, tests: tests.slice(0, MAX_SHEETS) },
  }
}
