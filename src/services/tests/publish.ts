import { randomBytes, randomInt } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { lockCardWriters } from '../../../db/queries/content/editing/cards.js'
import { findGroups } from '../../../db/queries/content/translations.js'
import {
  type EditedTest,
  findEditedTest,
  listVariantRows,
  lockTest,
  updateDefinition,
} from '../../../db/queries/tests/definitions.js'
import { findDigest, insertVersion } from '../../../db/queries/tests/publish.js'
import type { Database } from '../../../db/types.js'
import { NotEditable, TEST_NOT_FOUND } from '../../domain/content/refusals.js'
import { findTranslated } from '../../domain/content/translations.js'
import { freezeQuestion } from '../../domain/questions/frozen.js'
import { type TestDefinition, toVariant } from '../../domain/tests/definition.js'
import { drawPlaces, drawQuestions } from '../../domain/tests/draw.js'
import { NotPublishable, type SectionFault, TEST_ARCHIVED } from '../../domain/tests/editing-refusals.js'
import { isSameDefinition } from '../../domain/tests/import-plan.js'
import {
  type ReportSection,
  type ResolvedSection,
  resolveSections,
  resolveVariant,
} from '../../domain/tests/sections.js'
import {
  digestVersion,
  freezeSection,
  hasOpenQuestions,
  type PreparedVersion,
  prepareVersion,
} from '../../domain/tests/version.js'
import { showQuestion } from '../../domain/tests/view.js'
import { mapInTurns } from '../content/turns.js'
import { findNamedDecks, type NamedDeck } from './named-decks.js'

export interface Publication extends PreparedVersion {
  /** Number of the published version, or of the version that a check would publish */
  version: number
  /** Whether the publication creates this version; false if the published version stays */
  changed: boolean
}

/**
 * Publishes a test as a new version, unless the published version has the same definition and questions. Its published
 * variants follow, as far as they have all questions.
 * @param name user name of the publisher
 * @param isCheck whether to compute the result without writing
 * @throws TEST_NOT_FOUND, TEST_ARCHIVED if the test does not exist or is archived
 * @throws NotEditable if the test belongs to no source, unless `isCheck` is true
 * @throws NotPublishable if a section cannot be published, for example because its deck is missing
 */
export async function publishTest(
  db: Kysely<Database>,
  name: string,
  slug: string,
  isCheck: boolean,
): Promise<Publication> {
  const { definition, sections, ...published } = await db.transaction().execute(async (transaction) => {
    if (!isCheck) await lockCardWriters(transaction)
    if (!(await lockTest(transaction, slug))) throw TEST_NOT_FOUND
    const test = await findEditedTest(transaction, slug)
    if (test === undefined) throw TEST_NOT_FOUND
    if (test.source === null && !isCheck) throw new NotEditable(test.file)
    if (test.archived_at !== null) throw TEST_ARCHIVED
    const sections = await requireSections(transaction, test, test.source?.id ?? null)
    const published = await publishVersion(transaction, test, sections, { isCheck, name })
    if (!isCheck) await publishVariants(transaction, [slug], name)
    return { definition: test.definition, sections, ...published }
  })
  // Computed after the transaction, because the computation takes a while and would hold the locks.
  return { ...prepareVersion(definition, sections), ...published }
}

/**
 * Draws an attempt from the current state of the test and returns it as a learner would see it. Nothing is stored.
 * @throws TEST_NOT_FOUND if the test does not exist
 * @throws NotPublishable if a section cannot be published, for example because its deck is missing
 */
export async function previewTest(db: Kysely<Database>, slug: string) {
  const test = await findEditedTest(db, slug)
  if (test === undefined) throw TEST_NOT_FOUND
  const { definition, edit_version, lang, source } = test
  const sections = await requireSections(db, test, source?.id ?? null)
  const offered = sections.flatMap(({ cards }, section) => cards.map((card, id) => ({ id, section, card })))
  const drawn = drawQuestions(definition, offered, randomInt)
  // Freezes only drawn questions, because freezing may parse Markdown.
  const questions = await mapInTurns(drawn, ({ card }, slot) => {
    const content = freezeQuestion(card, newId)
    const shown = showQuestion(content, drawPlaces(content, newId, randomInt))
    return { slot, ...shown, points: 1, seq: 0, answer: null }
  })
  const { name, introduction, pages, time_limit_minutes } = definition
  return { slug, lang, version: edit_version, name, introduction, pages, time_limit_minutes, questions }
}

/**
 * Returns the sections of a stored test with their questions.
 * @param sourceId source of the test; null if the test belongs to no source
 * @throws NotPublishable with all faults if a section cannot be published, for example because its deck is missing
 */
export async function requireSections(
  db: Kysely<Database>,
  test: TestToResolve,
  sourceId: number | null,
): Promise<ResolvedSection[]> {
  const faults: SectionFault[] = []
  const sections = await resolveStored(db, test, sourceId, (message, cause, section) => {
    faults.push({ message, cause, section })
  })
  if (faults.length > 0) throw new NotPublishable(faults)
  return sections
}

/** Returns the sections of a stored test with their questions. The result is valid only if no fault was reported. */
export async function resolveStored(
  db: Kysely<Database>,
  { definition, lang, translation_of }: TestToResolve,
  sourceId: number | null,
  report: ReportSection,
): Promise<ResolvedSection[]> {
  const decks = definition.sections.map(({ deck }) => deck)
  const translated = translation_of === null ? undefined : findTranslated(await findGroups(db, 'deck', decks), lang)
  const named = await findNamedDecksOf(db, [definition], translated && [translated])
  const usable = new Map([...named].filter(([, deck]) => mayUse(deck, sourceId)))
  if (translated === undefined) return resolveSections(definition, usable, report)
  return resolveVariant(definition, lang, usable, translated, report)
}

/** What decides on the questions of a test */
export type TestToResolve = Pick<EditedTest, 'definition' | 'lang' | 'translation_of'>

/**
 * Publishes the variants of originals that have been published before. A variant that lacks a question keeps its version
 * until the question is translated.
 * @param except slugs of variants that stay as they are
 */
export async function publishVariants(
  transaction: Transaction<Database>,
  originals: readonly string[],
  name: string | null,
  except: ReadonlySet<string> = new Set(),
): Promise<void> {
  for (const { slug } of await listVariantRows(transaction, originals)) {
    if (except.has(slug)) continue
    await lockTest(transaction, slug)
    const test = await findEditedTest(transaction, slug)
    if (test === undefined || test.archived_at !== null || test.published_version === null) continue
    const faults: string[] = []
    const sections = await resolveStored(transaction, test, test.source?.id ?? null, (message) => faults.push(message))
    if (faults.length === 0) await publishVersion(transaction, test, sections, { name })
  }
}

/** Writes the settings and sections of originals into the definitions of their variants. */
export async function updateVariants(transaction: Transaction<Database>, originals: readonly string[]): Promise<void> {
  for (const { id, definition, edited, original } of await listVariantRows(transaction, originals)) {
    const wanted = toVariant(definition, original)
    if (!isSameDefinition(definition, wanted)) await updateDefinition(transaction, id, wanted, { edited })
  }
}

/** @param translations maps from the slug of a deck to the slug in another language; these decks are found too */
export async function findNamedDecksOf(
  db: Kysely<Database>,
  definitions: readonly Pick<TestDefinition, 'sections'>[],
  translations: readonly ReadonlyMap<string, string>[] = [],
): Promise<Map<string, NamedDeck>> {
  const sections = definitions.flatMap(({ sections }) => sections)
  const slugs = [
    ...new Set(sections.flatMap(({ deck }) => [deck, ...translations.flatMap((slugs) => slugs.get(deck) ?? [])])),
  ]
  const keys = [...new Set(sections.flatMap(({ cards }) => cards ?? []))]
  return findNamedDecks(db, slugs, keys)
}

/**
 * Returns whether a test of a source may draw from a deck: from any deck that is not a pool, and from pools of the same
 * source. Otherwise the preview and the statistics would reveal pools of other sources to the editors of the test.
 */
export function mayUse({ tests_only, source_id }: NamedDeck, sourceId: number | null): boolean {
  return !tests_only || source_id === sourceId
}

/**
 * Writes a new version unless the published version has the same digest. The caller must have locked the test.
 * @param options isCheck: whether to compute the result without writing; name: user name of the publisher, null for an
 * import
 */
export async function publishVersion(
  transaction: Transaction<Database>,
  test: Pick<EditedTest, 'id' | 'definition' | 'published_version'>,
  sections: readonly ResolvedSection[],
  { isCheck = false, name }: { isCheck?: boolean; name: string | null },
): Promise<Pick<Publication, 'version' | 'changed'>> {
  const { id: test_id, definition, published_version } = test
  const digest = digestVersion(definition, sections)
  const latest = published_version === null ? undefined : await findDigest(transaction, test_id, published_version)
  const changed = latest === undefined || !latest.equals(digest)
  const version = (published_version ?? 0) + (changed ? 1 : 0)
  if (changed && !isCheck) {
    const questions = sections.flatMap((section, index) =>
      freezeSection(section, newId).map((content, position) => ({
        section: index,
        position,
        content,
        card_id: section.cards[position]?.id ?? null,
      })),
    )
    const open_questions = hasOpenQuestions(sections)
    const row = { test_id, version, definition, open_questions, digest, published_by: name, questions }
    await insertVersion(transaction, row)
  }
  return { version, changed }
}

function newId(): string {
  return randomBytes(9).toString('base64url')
}
