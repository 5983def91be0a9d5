import type { Kysely } from 'kysely'
import { findFolderCards, findStoredDecks, findStoredSheets } from '../../../../db/queries/content/stored.js'
import { listGroupItems } from '../../../../db/queries/content/translations.js'
import { findStoredTests } from '../../../../db/queries/tests/definitions.js'
import type { Database } from '../../../../db/types.js'
import { comparePlaces, type Finding, withoutKind } from '../../../domain/content/findings.js'
import { findForeignSlugs } from '../../../domain/content/format/slug.js'
import { planImport } from '../../../domain/content/plan/folder.js'
import { lintPlan } from '../../../domain/content/plan/lint.js'
import type { Digests, FolderPlan } from '../../../domain/content/plan/types.js'
import { FaultyContent } from '../../../domain/content/refusals.js'
import { findForeignOriginals } from '../../../domain/content/translations.js'
import type {
  CardSource,
  Content,
  DeckSource,
  SheetSource,
  TestSource,
  Translation,
  Warning,
} from '../../../domain/content/types.js'
import { planFolderTests } from '../../../domain/tests/import-plan.js'
import { findMissingPictures } from '../pictures.js'
import { runInTurns } from '../turns.js'
import type { PlannedImport } from '../write.js'
import { introductionOf, type ReadContent, textOf, textsOf } from './read.js'

export interface PlannedFolder extends PlannedImport<DeckSource, CardSource, SheetSource> {
  plan: FolderPlan
}

/**
 * Compares the content with the database and returns the plan of changes. A file whose slug, or that of its original,
 * belongs to a source is skipped with a warning, and what is stored of it stays, so that a source cannot block the
 * import of the folder by taking a slug.
 * @throws FaultyContent if a deck would become a pool or a pool would become a deck, or a variant cannot be in its group
 * @throws MediaFull if the pictures would exceed `mediaMaxBytes`
 */
export async function planFolder(
  db: Kysely<Database>,
  { content, tests, slugs, pictures }: Pick<ReadContent, 'content' | 'tests' | 'slugs' | 'pictures'>,
  digests: Digests,
  mediaMaxBytes: number,
): Promise<PlannedFolder> {
  const decks = await findStoredDecks(db)
  const cards = await findFolderCards(db)
  const sheets = await findStoredSheets(db)
  const storedTests = await findStoredTests(db)
  const owners = { decks: ownersOf(decks), sheets: ownersOf(sheets), tests: ownersOf(storedTests) }
  const ours = {
    decks: content.decks.filter((deck) => !isForeign(deck, owners.decks)),
    sheets: content.sheets.filter((sheet) => !isForeign(sheet, owners.sheets)),
  }
  const skipped = {
    decks: slugsOf(content.decks.filter((deck) => isForeign(deck, owners.decks))),
    sheets: slugsOf(content.sheets.filter((sheet) => isForeign(sheet, owners.sheets))),
  }
  const stored = {
    decks: decks.filter(({ slug, owner }) => owner !== null || !skipped.decks.has(slug)),
    sheets: sheets.filter(({ slug, owner }) => owner !== null || !skipped.sheets.has(slug)),
    cards,
  }
  const groups = { decks: await listGroupItems(db, 'deck'), sheets: await listGroupItems(db, 'sheet') }
  const plan = planImport(ours, digests, stored, groups)
  if (plan.faults.length > 0) throw new FaultyContent(plan.faults.sort(comparePlaces))
  const lint: Warning[] = []
  const warn = (finding: Finding) => lint.push(withoutKind(finding))
  await runInTurns(lintPlan(plan, ({ file }) => file, warn))
  plan.warnings.push(
    ...findForeignSlugs('Das Deck', slugs.decks, owners.decks),
    ...findForeignSlugs('Der Spickzettel', slugs.sheets, owners.sheets),
    ...findForeignSlugs('Der Test', slugs.tests, owners.tests),
    ...findForeignOriginals(content.decks, owners.decks),
    ...findForeignOriginals(content.sheets, owners.sheets),
    ...findForeignOriginals(tests, owners.tests),
    ...lint,
  )
  const testPlan = planFolderTests(tests, storedTests, await listGroupItems(db, 'test'))
  if (testPlan.faults.length > 0) throw new FaultyContent(testPlan.faults.sort(comparePlaces))
  const ourTests = testPlan.items.map(({ test }) => test)
  const isWhole =
    ours.decks.length + ours.sheets.length + ourTests.length ===
    content.decks.length + content.sheets.length + tests.length
  const shown = isWhole ? pictures : pictures.filter(({ sha }) => showsPicture(ours, ourTests, sha))
  return {
    plan,
    pictures: await findMissingPictures(db, shown, mediaMaxBytes),
    tests: testPlan,
    testOrigin: {
      sourceId: null,
      decks: new Set(ours.decks.map(({ slug }) => slug)),
      isArchive: false,
    },
  }
}

function showsPicture({ decks, sheets }: Content, tests: readonly TestSource[], sha: string): boolean {
  const texts = [...decks.flatMap(textsOf), ...sheets.map(textOf), ...tests.flatMap(introductionOf)]
  return texts.some(({ text }) => text.includes(sha))
}

function isForeign(
  { slug, translation }: { slug: string; translation?: Translation },
  owners: ReadonlyMap<string, string>,
): boolean {
  return owners.has(slug) || owners.has(translation?.translation_of ?? '')
}

function slugsOf(files: readonly { slug: string }[]): Set<string> {
  return new Set(files.map(({ slug }) => slug))
}

function ownersOf(rows: readonly { slug: string; owner: string | null }[]): Map<string, string> {
  return new Map(rows.flatMap(({ slug, owner }) => (owner === null ? [] : [[slug, owner]])))
}
