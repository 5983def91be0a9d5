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
import { listGroupItems } from '../../../../db/queries/content/translations.js'
import { findStoredTests } from '../../../../db/queries/tests/definitions.js'
import type { Database } from '../../../../db/types.js'
import { guidOf } from '../../../domain/anki/index.js'
import { type Editable, mayEdit } from '../../../domain/content/editing/rights.js'
import { GroupedFindings } from '../../../domain/content/findings.js'
import { lintPlan } from '../../../domain/content/plan/lint.js'
import type {
  Digests,
  OwnedCard,
  Upload,
  UploadCard,
  UploadDeck,
  UploadPlan,
  UploadSheet,
} from '../../../domain/content/plan/types.js'
import { planUpload, type UploadPlanOptions } from '../../../domain/content/plan/upload.js'
import { FaultyContent, FaultyUpload, OtherKind, SOURCE_NOT_FOUND } from '../../../domain/content/refusals.js'
import type { DeckSource, TestSource } from '../../../domain/content/types.js'
import type { Incoming, SourceKind, StoredKind } from '../../../domain/content/upload/incoming.js'
import type { TableDescription } from '../../../domain/table-layout.js'
import { planUploadTests } from '../../../domain/tests/import-plan.js'
import { plannedDecks } from '../../tests/import.js'
import { findMissingPictures, limitOwnPictures } from '../pictures.js'
import { runInTurns } from '../turns.js'
import type { PlannedImport } from '../write.js'

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

/** All that an upload changes, and all that its report needs. */
export interface PlannedUpload extends PlannedImport<UploadDeck, UploadCard, UploadSheet> {
  plan: UploadPlan
  ready: ReadyUpload
  target: Target
  /** Stored texts of the cards that the report shows */
  texts: Map<number, { question: string; answer: string }>
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

export interface PlanOptions extends Partial<UploadPlanOptions> {
  /** Sources that the user may edit; default: all. Other sources are neither matched nor mentioned in the report. */
  editable?: Editable
  /** User whose pictures are limited; null means the command line */
  userId: number | null
  /** Maximum total size of all pictures in bytes */
  mediaMaxBytes: number
  /** Maximum total size of the user's pictures in bytes; default: 200 MiB */
  ownMaxBytes?: number
}

/**
 * Compares the upload with the database. Must be called before anything is written, because it reads the texts that
 * the report shows.
 * @throws FaultyUpload if a deck would become a pool or a pool would become a deck
 * @throws MediaFull, OwnMediaFull if the pictures would exceed the total limit or that of the user
 */
export async function planImport(
  db: Kysely<Database>,
  ready: ReadyUpload,
  target: Target,
  options: PlanOptions,
): Promise<PlannedUpload> {
  const { mirror = false, keep = 'ours', userId } = options
  const sourceId = target.source?.id
  const plan = await planSource(db, ready, sourceId, options)
  const pictures = await findMissingPictures(db, ready.pictures, options.mediaMaxBytes)
  if (isLimited(options) && userId !== null) await limitOwnPictures(db, userId, pictures, options.ownMaxBytes)
  const shown = [...plan.examples, ...plan.edited.cards].flatMap(({ id }) => id ?? [])
  const texts = await findCardTexts(db, shown)
  const decks = plannedDecks(plan)
  const deckSlugs = new Map(decks.map(({ source_key, slug }) => [source_key, slug]))
  // Tests refer to decks by the key in the archive; tests in exports of this service refer to them by slug.
  for (const { slug } of decks) if (!deckSlugs.has(slug)) deckSlugs.set(slug, slug)
  const groups = await listGroupItems(db, 'test')
  const tests = planUploadTests(ready.tests, await findStoredTests(db), deckSlugs, { sourceId, mirror, keep }, groups)
  if (tests.faults.length > 0) throw new FaultyUpload(new FaultyContent(tests.faults))
  // A new source has no id yet and no stored pools. Id 0 matches no source.
  const testOrigin = { sourceId: sourceId ?? 0, decks: new Set(deckSlugs.values()), isArchive: true }
  return { plan, pictures, tests, testOrigin, ready, target, texts }
}

/** Returns whether the pictures count towards the limit of the user; those of administrators do not. */
export function isLimited({ editable = 'all' }: { editable?: Editable }): boolean {
  return editable !== 'all'
}

/**
 * Compares the upload with the database and returns the plan of changes. Cards of sources that the user may not edit
 * are not matched, so that the plan reveals nothing about them.
 * @throws FaultyUpload if a deck would become a pool or a pool would become a deck
 */
async function planSource(
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
  const groups = { decks: await listGroupItems(db, 'deck'), sheets: await listGroupItems(db, 'sheet') }
  const stored = { sourceId, decks, sheets, cards: matched }
  const plan = planUpload(upload, digests, stored, { mirror, keep, theirs }, groups)
  if (plan.faults.length > 0) throw new FaultyUpload(new FaultyContent(plan.faults))
  const lint = new GroupedFindings()
  const fileOf = (_deck: DeckSource, { file }: UploadCard) => file
  await runInTurns(lintPlan(plan, fileOf, (warning) => lint.add(warning)))
  plan.warnings.push(...lint.list())
  plan.warningsTotal += lint.total
  return plan
}

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
