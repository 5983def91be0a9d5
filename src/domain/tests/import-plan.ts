import { FreeSlugs } from '../content/format/slug.js'
import type { Changes } from '../content/plan/types.js'
import {
  isOtherGroup,
  planTranslations,
  type StoredGroupItem,
  type TranslationChange,
} from '../content/translations.js'
import type { Fault, TestSource } from '../content/types.js'
import { orderKeys, type TestDefinition, toVariant } from './definition.js'
import { RESERVED_TESTS } from './slug.js'

export interface StoredTest {
  id: number
  slug: string
  definition: TestDefinition
  /** Null until the test is published */
  published_version: number | null
  is_live: boolean
  /** Whether the test was changed in the service since the last upload */
  edited: boolean
  /**
   * File in the content folder. Null for a test of a content source, such as an upload. Also null for a test that its
   * source has released, until a file describes the test.
   */
  file: string | null
  /** Content source; null, like `source_key` and `owner`, for a test of the content folder or a released test */
  source_id: number | null
  source_key: string | null
  owner: string | null
}

/** A test of an imported file with its stored row. */
export interface PlannedTest {
  test: TestSource
  /** Key within the source; null for the content folder */
  source_key: string | null
  /** Undefined for a new test */
  row: StoredTest | undefined
  becomes: 'created' | 'updated' | 'unchanged'
  /** Whether the import leaves the test unchanged, because it was edited or archived in the service */
  isKept: boolean
}

export interface TestPlan {
  items: PlannedTest[]
  /** Ids of the tests to archive */
  archived: number[]
  translations: TranslationChange[]
  /** Faults of variants that cannot be in their groups */
  faults: Fault[]
}

/**
 * Plans the import of the tests of the content folder. Tests of a source stay unchanged; a file whose original belongs
 * to a source is skipped, and what is stored of it stays.
 */
export function planFolderTests(
  tests: readonly TestSource[],
  stored: readonly StoredTest[],
  groups: readonly StoredGroupItem[],
): TestPlan {
  const bySlug = new Map(stored.map((row) => [row.slug, row]))
  const placed = tests.flatMap((test): PlacedTest[] => {
    const row = bySlug.get(test.slug)
    const original = bySlug.get(test.translation?.translation_of ?? '')
    if ([row, original].some((one) => one !== undefined && one.source_id !== null)) return []
    return [{ test, row, name: test.slug, source_key: null, keep: 'theirs', isMoved: row?.file !== test.file }]
  })
  const items = planPlaced(
    placed,
    stored.filter(({ source_id }) => source_id === null),
  )
  const described = new Set(tests.map(({ slug }) => slug))
  // A test released by a source has no file; it stays unchanged until a file describes it.
  const ours = stored.filter(({ source_id, file, is_live }) => source_id === null && file !== null && is_live)
  const missing = ours.filter(({ slug }) => !described.has(slug)).map(({ id }) => id)
  return groupTests(items, placed, missing, groups, null)
}

/** @param deckSlugs maps the slug of a deck in the uploaded files to the slug that the import assigns to the deck */
export function planUploadTests(
  tests: readonly TestSource[],
  stored: readonly StoredTest[],
  deckSlugs: ReadonlyMap<string, string>,
  { sourceId, mirror, keep }: { sourceId: number | undefined; mirror: boolean; keep: 'ours' | 'theirs' },
  groups: readonly StoredGroupItem[],
): TestPlan {
  const ours = stored.filter(({ source_id }) => source_id !== null && source_id === sourceId)
  const keys = new Set(tests.map(({ slug }) => slug))
  const slugs = new FreeSlugs(
    stored.map(({ slug }) => slug),
    RESERVED_TESTS,
    'test',
  )
  const placed = tests.map((test): PlacedTest => {
    const row =
      ours.find(({ source_key }) => source_key === test.slug) ??
      ours.find(({ slug, source_key }) => slug === test.slug && !keys.has(source_key ?? ''))
    const sections = test.definition.sections.map((section) => ({
      ...section,
      deck: deckSlugs.get(section.deck) ?? section.deck,
    }))
    return {
      test: { ...test, slug: row?.slug ?? slugs.take(test.slug), definition: { ...test.definition, sections } },
      row,
      name: test.slug,
      source_key: row?.source_key ?? test.slug,
      keep,
      isMoved: false,
    }
  })
  const items = planPlaced(placed, ours)
  const described = new Set(items.map(({ row }) => row))
  const missing = mirror ? ours.filter((row) => row.is_live && !described.has(row)) : []
  const archived = missing.map(({ id }) => id)
  return groupTests(items, placed, archived, groups, sourceId ?? NEW_SOURCE)
}

/** Id that no stored source has */
const NEW_SOURCE = 0

/** A test of a file with the slug that the import gives it. */
interface PlacedTest {
  test: TestSource
  row: StoredTest | undefined
  /** Slug in the file; other files refer to the test by it */
  name: string
  source_key: string | null
  keep: 'ours' | 'theirs'
  isMoved: boolean
}

/** Plans originals first, because variants take their settings and sections from them. */
function planPlaced(placed: readonly PlacedTest[], stored: readonly StoredTest[]): PlannedTest[] {
  const definitions = new Map(stored.map(({ slug, definition }) => [slug, definition]))
  for (const { source_key, definition } of stored) if (source_key !== null) definitions.set(source_key, definition)
  const planned = new Map<PlacedTest, PlannedTest>()
  const isVariant = ({ test }: PlacedTest) => test.translation != null && test.translation.translation_of !== null
  for (const one of placed.filter((one) => !isVariant(one))) {
    const item = planTest(one.test, one.row, one)
    planned.set(one, item)
    definitions.set(one.name, item.isKept && one.row !== undefined ? one.row.definition : one.test.definition)
  }
  for (const one of placed.filter(isVariant)) {
    const original = definitions.get(one.test.translation?.translation_of ?? '')
    // Without an original, the plan has a fault.
    const definition = original === undefined ? one.test.definition : toVariant(one.test.definition, original)
    planned.set(one, planTest({ ...one.test, definition }, one.row, one))
  }
  return placed.map((one) => planned.get(one) as PlannedTest)
}

/**
 * Adds the groups to a plan. A test edited in the service keeps its group unless `keep` is `theirs`; if its file has
 * another one, the whole test stays as it is, because its questions depend on its group.
 */
function groupTests(
  items: PlannedTest[],
  placed: readonly PlacedTest[],
  archived: number[],
  groups: readonly StoredGroupItem[],
  sourceId: number | null,
): TestPlan {
  const stored = new Map(groups.map((item) => [item.id, item]))
  const slugs = new Map(placed.map(({ name, test }) => [name, test.slug]))
  const keepsGroup = ({ row }: PlannedTest, index: number) => row?.edited === true && placed[index]?.keep === 'ours'
  const grouped = items.map((item, index) => {
    const { test, row } = item
    const translation = keepsGroup(item, index) ? undefined : test.translation
    return { slug: test.slug, name: placed[index]?.name ?? test.slug, id: row?.id, translation, tests_only: false }
  })
  const keepsOther = (planned: PlannedTest, index: number) => {
    const item = stored.get(planned.row?.id ?? 0)
    const { translation } = planned.test
    if (!keepsGroup(planned, index) || translation === undefined || item === undefined) return false
    return isOtherGroup(item, translation, slugs)
  }
  const { changes, orphans, faults } = planTranslations(grouped, groups, new Set(archived), sourceId)
  const changed = new Set(changes.map(({ slug }) => slug))
  const marked = items.map((item, index): PlannedTest => {
    if (keepsOther(item, index)) return { ...item, becomes: 'unchanged', isKept: true }
    // A test that keeps its texts changes at most its group.
    const isRegrouped = item.becomes === 'unchanged' && !item.isKept && changed.has(item.test.slug)
    return isRegrouped ? { ...item, becomes: 'updated' as const } : item
  })
  return { items: marked, archived: [...archived, ...orphans], translations: changes, faults }
}

function planTest(
  test: TestSource,
  row: StoredTest | undefined,
  { source_key, keep, isMoved }: Pick<PlacedTest, 'source_key' | 'keep' | 'isMoved'>,
): PlannedTest {
  if (row === undefined) return { test, source_key, row, becomes: 'created', isKept: false }
  const isOther = !isSameDefinition(row.definition, test.definition)
  const isKept = (isOther || !row.is_live) && row.edited && keep === 'ours'
  const isChanged = isMoved || ((isOther || !row.is_live) && !isKept)
  return { test, source_key, row, becomes: isChanged ? 'updated' : 'unchanged', isKept }
}

export function isSameDefinition(one: TestDefinition, other: TestDefinition): boolean {
  return JSON.stringify(orderKeys(one)) === JSON.stringify(orderKeys(other))
}

/**
 * Returns whether an import publishes the test if its questions differ from the published ones.
 * @param isContentChanged whether the import changes a deck, card or sheet
 */
export function isToPublish({ test, row, becomes, isKept }: PlannedTest, isContentChanged: boolean): boolean {
  if (test.draft || isKept) return false
  return becomes !== 'unchanged' || isContentChanged || row?.published_version === null
}

/** Returns whether the plan changes a test. A plan without changes may still publish new versions. */
export function hasTestChanges({ items, archived }: Pick<TestPlan, 'items' | 'archived'>): boolean {
  return archived.length > 0 || items.some(({ becomes }) => becomes !== 'unchanged')
}

/**
 * Counts the tests of a plan by change; returns undefined for an empty plan.
 * @param published tests that get a new published version; an unchanged test among these is counted as updated
 */
export function countTests(
  { items, archived }: Pick<TestPlan, 'items' | 'archived'>,
  published: ReadonlySet<PlannedTest>,
): Changes | undefined {
  if (items.length + archived.length === 0) return undefined
  const counts = { created: 0, updated: 0, unchanged: 0, archived: archived.length }
  for (const item of items) counts[item.becomes === 'unchanged' && published.has(item) ? 'updated' : item.becomes]++
  return counts
}
