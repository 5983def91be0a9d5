import { FreeSlugs } from '../content/format/slug.js'
import type { Changes } from '../content/plan/types.js'
import type { TestSource } from '../content/types.js'
import { orderKeys, type TestDefinition } from './definition.js'
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
}

/** Plans the import of the tests of the content folder. Tests of a source stay unchanged. */
export function planFolderTests(tests: readonly TestSource[], stored: readonly StoredTest[]): TestPlan {
  const bySlug = new Map(stored.map((row) => [row.slug, row]))
  const items = tests.flatMap((test) => {
    const row = bySlug.get(test.slug)
    if (row !== undefined && row.source_id !== null) return []
    return [planTest(test, row, { source_key: null, keep: 'theirs', isMoved: row?.file !== test.file })]
  })
  const described = new Set(items.map(({ row }) => row))
  // A test released by a source has no file; it stays unchanged until a file describes it.
  const ours = stored.filter(({ source_id, file, is_live }) => source_id === null && file !== null && is_live)
  return { items, archived: ours.filter((row) => !described.has(row)).map(({ id }) => id) }
}

/** @param deckSlugs maps the slug of a deck in the uploaded files to the slug that the import assigns to the deck */
export function planUploadTests(
  tests: readonly TestSource[],
  stored: readonly StoredTest[],
  deckSlugs: ReadonlyMap<string, string>,
  { sourceId, mirror, keep }: { sourceId: number | undefined; mirror: boolean; keep: 'ours' | 'theirs' },
): TestPlan {
  const ours = stored.filter(({ source_id }) => source_id !== null && source_id === sourceId)
  const keys = new Set(tests.map(({ slug }) => slug))
  const slugs = new FreeSlugs(
    stored.map(({ slug }) => slug),
    RESERVED_TESTS,
    'test',
  )
  const items = tests.map((test) => {
    const row =
      ours.find(({ source_key }) => source_key === test.slug) ??
      ours.find(({ slug, source_key }) => slug === test.slug && !keys.has(source_key ?? ''))
    const sections = test.definition.sections.map((section) => ({
      ...section,
      deck: deckSlugs.get(section.deck) ?? section.deck,
    }))
    const placed = { ...test, slug: row?.slug ?? slugs.take(test.slug), definition: { ...test.definition, sections } }
    return planTest(placed, row, { source_key: row?.source_key ?? test.slug, keep, isMoved: false })
  })
  const described = new Set(items.map(({ row }) => row))
  const missing = mirror ? ours.filter((row) => row.is_live && !described.has(row)) : []
  return { items, archived: missing.map(({ id }) => id) }
}

function planTest(
  test: TestSource,
  row: StoredTest | undefined,
  { source_key, keep, isMoved }: { source_key: string | null; keep: 'ours' | 'theirs'; isMoved: boolean },
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
export function hasTestChanges({ items, archived }: TestPlan): boolean {
  return archived.length > 0 || items.some(({ becomes }) => becomes !== 'unchanged')
}

/**
 * Counts the tests of a plan by change; returns undefined for an empty plan.
 * @param published tests that get a new published version; an unchanged test among these is counted as updated
 */
export function countTests({ items, archived }: TestPlan, published: ReadonlySet<PlannedTest>): Changes | undefined {
  if (items.length + archived.length === 0) return undefined
  const counts = { created: 0, updated: 0, unchanged: 0, archived: archived.length }
  for (const item of items) counts[item.becomes === 'unchanged' && published.has(item) ? 'updated' : item.becomes]++
  return counts
}
