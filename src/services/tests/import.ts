import type { Kysely, Transaction } from 'kysely'
import { markChecked } from '../../../db/queries/content/checked-translations.js'
import { joinGroups, leaveGroups, listGroupItems } from '../../../db/queries/content/translations.js'
import {
  findEditedTest,
  insertTest,
  lockTest,
  setArchived,
  updateImportedTest,
} from '../../../db/queries/tests/definitions.js'
import { findPublishedDigests } from '../../../db/queries/tests/publish.js'
import type { Database } from '../../../db/types.js'
import { comparePlaces } from '../../domain/content/findings.js'
import { type Changes, hasChanges, type Plan } from '../../domain/content/plan/types.js'
import { CONTENT_CHANGES, FaultyContent } from '../../domain/content/refusals.js'
import { DEFAULT_LANGUAGE, findTranslated, type TranslationChange } from '../../domain/content/translations.js'
import type { CardSource, DeckSource, Fault, SheetSource, TestSource, Warning } from '../../domain/content/types.js'
import {
  countTests,
  isSameDefinition,
  isToPublish,
  type PlannedTest,
  type TestPlan,
} from '../../domain/tests/import-plan.js'
import {
  type ReportSection,
  type ResolvedSection,
  resolveSections,
  resolveVariant,
  type SectionCard,
  type SectionDeck,
} from '../../domain/tests/sections.js'
import { digestVersion } from '../../domain/tests/version.js'
import { findNamedDecksOf, mayUse, publishVariants, publishVersion, updateVariants } from './publish.js'

/** Origin of an import. It determines which decks the tests may use, and which faults fail the import. */
export interface TestOrigin {
  /** Id of the source; null for the content folder */
  sourceId: number | null
  /** Slugs of the decks that the files describe */
  decks: ReadonlySet<string>
  isArchive: boolean
}

export interface ImportedTests {
  /** Undefined if the import neither contains nor archives tests */
  changes: Changes | undefined
  warnings: Warning[]
}

/**
 * Writes the tests of an import. Must be called after its decks and cards are written. Publishes the tests whose
 * definition or questions differ from the published version, except drafts and tests that keep an edit made in the
 * browser.
 * @throws FaultyContent if a test or one of its sections cannot be published; a fault of a deck for which `isOwn`
 * returns false only causes a warning
 * @throws CONTENT_CHANGES if a concurrent request has taken a slug or deleted a test
 */
export async function writeTests(
  transaction: Transaction<Database>,
  { items, archived, translations }: TestPlan,
  origin: TestOrigin,
  isContentChanged: boolean,
): Promise<ImportedTests> {
  const findings = { faults: [] as Fault[], warnings: [] as Warning[] }
  const published = new Set<PlannedTest>()
  await leaveGroups(
    transaction,
    'test',
    translations.flatMap(({ id }) => id ?? []),
  )
  for (const item of items) await writeTest(transaction, item, origin)
  await joinGroups(transaction, 'test', translations)
  const slugs = items.map(({ test }) => test.slug)
  await updateVariants(transaction, slugs)
  const toPublish = items.filter((item) => isToPublish(item, isContentChanged))
  const translated = await translateDecks(transaction, toPublish)
  const decks = await findDecks(transaction, toPublish, origin, translated)
  for (const item of toPublish) {
    const sections = resolve(item.test, { decks, translated }, origin, findings)
    if (sections === undefined) continue
    await lockTest(transaction, item.test.slug)
    const test = await findEditedTest(transaction, item.test.slug)
    if (test === undefined) throw CONTENT_CHANGES
    const { changed } = await publishVersion(transaction, test, sections, { name: null })
    if (changed) published.add(item)
  }
  await publishVariants(
    transaction,
    toPublish.map(({ test }) => test.slug),
    null,
    new Set(slugs),
  )
  // After the publication, because a variant is checked against the published version of its original.
  await markChecked(transaction, 'test', [
    ...items.filter(isRewritten).map(({ test }) => test.slug),
    ...translations.filter(({ joins }) => joins).map(({ slug }) => slug),
  ])
  throwFaults(findings.faults)
  if (archived.length > 0) await setArchived(transaction, archived, true)
  return { changes: countTests({ items, archived }, published), warnings: findings.warnings }
}

/** Returns whether an import writes texts of a test, which then fit those of its original. */
function isRewritten({ test, row, becomes }: PlannedTest): boolean {
  const { name, description, introduction } = test.definition
  const former = row?.definition
  return (
    becomes === 'updated' &&
    (name !== former?.name || description !== former.description || introduction !== former.introduction)
  )
}

async function writeTest(
  transaction: Transaction<Database>,
  { test, row, source_key, becomes }: PlannedTest,
  { sourceId }: TestOrigin,
): Promise<void> {
  const { slug, definition } = test
  const file = sourceId === null ? test.file : null
  if (row === undefined) {
    const id = await insertTest(transaction, { slug, definition, source_id: sourceId, source_key, file })
    if (id === undefined) throw CONTENT_CHANGES
  } else if (becomes === 'updated') {
    const isOther = !isSameDefinition(row.definition, definition)
    await updateImportedTest(transaction, row.id, { definition, file, isOther, edited: false })
  }
}

/**
 * Returns the outcome of `writeTests`, computed from the plan without writing.
 * @param options plan: plan of the decks and cards; keepsRest: whether stored cards that the files do not contain stay
 * @throws FaultyContent under the same conditions as `writeTests`
 */
export async function checkTests(
  db: Kysely<Database>,
  { items, archived }: TestPlan,
  origin: TestOrigin,
  { plan, keepsRest }: { plan: ContentPlan; keepsRest: boolean },
): Promise<ImportedTests> {
  const findings = { faults: [] as Fault[], warnings: [] as Warning[] }
  const published = new Set<PlannedTest>()
  const [planned, isContentChanged, { archivedDecks }] = [plannedDecks(plan), hasChanges(plan), plan]
  const toPublish = items.filter((item) => isToPublish(item, isContentChanged))
  const translated = await translateDecks(db, toPublish, plan.translations.decks)
  const decks = await findDecks(db, toPublish, origin, translated)
  for (const deck of decks.values()) if (archivedDecks.includes(deck.id ?? 0)) deck.is_live = false
  for (const deck of planned) addPlanned(decks, deck, keepsRest)
  const digests = await findPublishedDigests(
    db,
    toPublish.flatMap(({ row }) => (row === undefined ? [] : [row.id])),
  )
  for (const item of toPublish) {
    const sections = resolve(item.test, { decks, translated }, origin, findings)
    const { row, test } = item
    if (sections === undefined || row === undefined || row.published_version === null) continue
    if (!digests.get(row.id)?.equals(digestVersion(test.definition, sections))) published.add(item)
  }
  throwFaults(findings.faults)
  return { changes: countTests({ items, archived }, published), warnings: findings.warnings }
}

type ContentPlan = Plan<DeckSource, CardSource, SheetSource>

/** Returns the decks of a plan with their final slugs. */
export function plannedDecks<Deck extends DeckSource>(
  plan: Pick<Plan<Deck, CardSource, SheetSource>, 'deckIds' | 'newDecks'>,
): Deck[] {
  return [...plan.deckIds.keys(), ...plan.newDecks]
}

/**
 * Decks by slug. `isForeign`: whether the deck belongs to another source, so that its faults do not fail an import of
 * the folder. `isUsable`: whether the tests of the import may draw from the deck.
 */
type Decks = Map<string, SectionDeck & { id?: number; isForeign: boolean; isUsable: boolean }>

/** Slug of the deck in a language by the slug of each deck of its group, as `findTranslated` returns it, by language */
type TranslatedDecks = ReadonlyMap<string, ReadonlyMap<string, string>>

/**
 * Returns the translated decks of the languages of the variants among the tests.
 * @param planned changes of the groups that are not written yet
 */
async function translateDecks(
  db: Kysely<Database>,
  tests: readonly PlannedTest[],
  planned: readonly TranslationChange[] = [],
): Promise<TranslatedDecks> {
  const languages = new Set(tests.flatMap(({ test }) => (isVariant(test) ? languageOf(test) : [])))
  if (languages.size === 0) return new Map()
  const changed = new Set(planned.flatMap(({ id }) => id ?? []))
  const stored = (await listGroupItems(db, 'deck')).filter(({ id }) => !changed.has(id))
  const groups = [...stored, ...planned]
  return new Map([...languages].map((lang) => [lang, findTranslated(groups, lang)]))
}

function isVariant({ translation }: TestSource): boolean {
  return translation !== undefined && translation.translation_of !== null
}

function languageOf({ translation }: TestSource): string {
  return translation?.lang ?? DEFAULT_LANGUAGE
}

async function findDecks(
  db: Kysely<Database>,
  tests: readonly PlannedTest[],
  origin: TestOrigin,
  translated: TranslatedDecks,
): Promise<Decks> {
  if (tests.length === 0) return new Map()
  const named = await findNamedDecksOf(
    db,
    tests.map(({ test }) => test.definition),
    [...translated.values()],
  )
  return new Map(
    [...named].map(([slug, deck]) => {
      const isForeign = deck.source_id !== null && deck.source_id !== origin.sourceId
      return [slug, { ...deck, isForeign, isUsable: mayUse(deck, origin.sourceId) }]
    }),
  )
}

function addPlanned(decks: Decks, deck: DeckSource, keepsRest: boolean): void {
  const stored = decks.get(deck.slug)?.cards ?? []
  const cards: SectionCard[] = deck.cards.map(({ key, level, question, answer, exercise, draft }) => {
    return { id: null, key, level, question, answer, exercise, state: draft ? 'draft' : 'live' }
  })
  const keys = new Set(cards.map(({ key }) => key))
  const rest = keepsRest ? stored.filter(({ key }) => !keys.has(key)) : []
  const { slug, tests_only } = deck
  decks.set(slug, { slug, tests_only, is_live: true, cards: [...cards, ...rest], isForeign: false, isUsable: true })
}

/**
 * Returns the sections of a test with their questions. If the test cannot be published, adds faults or warnings and
 * returns undefined.
 */
function resolve(
  test: TestSource,
  { decks, translated }: { decks: Decks; translated: TranslatedDecks },
  origin: TestOrigin,
  { faults, warnings }: { faults: Fault[]; warnings: Warning[] },
): ResolvedSection[] | undefined {
  const { file, definition, line, sectionLines } = test
  let isFaulty = false
  const usable = new Map([...decks].filter(([, { isUsable }]) => isUsable))
  const report: ReportSection = (message, _cause, section) => {
    isFaulty = true
    const slug = section === undefined ? undefined : definition.sections[section]?.deck
    const place = { file, line: section === undefined ? line : (sectionLines[section] ?? line) }
    if (slug === undefined || isOwn(slug, decks, origin)) faults.push({ ...place, message })
    else warnings.push({ ...place, message: `Nicht veröffentlicht: ${message}` })
  }
  const lang = languageOf(test)
  const sections = isVariant(test)
    ? resolveVariant(definition, lang, usable, translated.get(lang) ?? new Map(), report)
    : resolveSections(definition, usable, report)
  return isFaulty ? undefined : sections
}

/**
 * Returns whether a fault of a deck fails the import instead of causing a warning. In an archive, which may come from
 * another service, a fault fails the import if the archive contains the deck; in the folder, unless the deck belongs to
 * a source.
 */
function isOwn(slug: string, decks: Decks, { decks: own, isArchive }: TestOrigin): boolean {
  return isArchive ? own.has(slug) : decks.get(slug)?.isForeign !== true
}

function throwFaults(faults: Fault[]): void {
  if (faults.length > 0) throw new FaultyContent(faults.sort(comparePlaces))
}
