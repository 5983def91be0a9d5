import { randomBytes, randomInt } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { type EditedTest, findEditedTest, lockTest } from '../../../db/queries/tests/definitions.js'
import { findDigest, findNamedDecks, insertVersion, type NamedDeck } from '../../../db/queries/tests/publish.js'
import type { Database } from '../../../db/types.js'
import { type Editable, mayEdit } from '../../domain/content/editing/rights.js'
import { NotEditable } from '../../domain/content/refusals.js'
import type { TestDefinition } from '../../domain/tests/definition.js'
import { drawPlaces, drawQuestions } from '../../domain/tests/draw.js'
import { NotPublishable, TEST_ARCHIVED } from '../../domain/tests/editing-refusals.js'
import { TEST_NOT_FOUND } from '../../domain/tests/refusals.js'
import { type ReportSection, type ResolvedSection, resolveSections } from '../../domain/tests/sections.js'
import { freezeSection, type PreparedVersion, prepareVersion } from '../../domain/tests/version.js'
import { showQuestion } from '../../domain/tests/view.js'

/** Result of a publication, or of its check. */
export interface Publication extends Omit<PreparedVersion, 'digest'> {
  /** The published version, or the one that a check would publish */
  version: number
  /** Whether the version is a new one */
  changed: boolean
}

/** Who publishes; an import has no name. */
export interface Publisher {
  name: string | null
  editable: Editable
}

/**
 * Publishes a test as a new version, unless the latest one has the same definition and questions.
 * @param isCheck computes the result without writing
 * @throws TEST_NOT_FOUND, TEST_ARCHIVED
 * @throws NotEditable if the test belongs to no source
 * @throws NotPublishable
 */
export function publishTest(
  db: Kysely<Database>,
  publisher: Publisher,
  slug: string,
  isCheck: boolean,
): Promise<Publication> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockTest(transaction, slug))) throw TEST_NOT_FOUND
    const test = await findEditedTest(transaction, slug)
    if (test === undefined) throw TEST_NOT_FOUND
    if (test.source === null) throw new NotEditable(test.file)
    if (test.archived_at !== null) throw TEST_ARCHIVED
    const sections = await resolveStored(transaction, test.definition, { ...publisher, sourceId: test.source.id })
    return publishVersion(transaction, test, sections, { isCheck, name: publisher.name })
  })
}

/**
 * Draws an attempt from the test as it is now, as a learner would see it; nothing is stored.
 * @throws TEST_NOT_FOUND, NotPublishable
 */
export async function previewTest(db: Kysely<Database>, editable: Editable, slug: string) {
  const test = await findEditedTest(db, slug)
  if (test === undefined) throw TEST_NOT_FOUND
  const { definition, edit_version, source } = test
  const sections = await resolveStored(db, definition, { editable, sourceId: source?.id ?? null })
  const contents = sections.map((section) => freezeSection(section, newId))
  const offered = contents.flatMap((questions, section) => questions.map((content, id) => ({ id, section, content })))
  const questions = drawQuestions(definition, offered, randomInt).map(({ content }, slot) => ({
    slot,
    ...showQuestion(content, drawPlaces(content, newId, randomInt)),
    ...{ points: 1, seq: 0, answer: null },
  }))
  const { name, introduction, pages, time_limit_minutes } = definition
  return { slug, version: edit_version, name, introduction, pages, time_limit_minutes, questions }
}

/**
 * Finds the questions of a stored test.
 * @throws NotPublishable
 */
export async function resolveStored(
  db: Kysely<Database>,
  definition: TestDefinition,
  owner: { editable: Editable; sourceId: number | null },
): Promise<ResolvedSection[]> {
  const faults: string[] = []
  const report: ReportSection = (message, section) => {
    faults.push(section === undefined ? message : `Abschnitt ${section + 1}: ${message}`)
  }
  const sections = resolveSections(definition, await findUsableDecks(db, definition, owner), report)
  if (faults.length > 0) throw new NotPublishable(faults)
  return sections
}

/** Returns the decks that a test names and may use: other editors' pools do not exist for it. */
export async function findUsableDecks(
  db: Kysely<Database>,
  { sections }: TestDefinition,
  { editable, sourceId }: { editable: Editable; sourceId: number | null },
): Promise<Map<string, NamedDeck>> {
  const slugs = [...new Set(sections.map(({ deck }) => deck))]
  const keys = [...new Set(sections.flatMap(({ cards }) => cards ?? []))]
  const decks = await findNamedDecks(db, slugs, keys)
  return new Map(
    [...decks].filter(
      ([, { tests_only, source_id }]) => !tests_only || source_id === sourceId || mayEdit(editable, source_id),
    ),
  )
}

/** Writes a version unless the latest one equals it. The test must be locked. */
export async function publishVersion(
  transaction: Transaction<Database>,
  test: Pick<EditedTest, 'id' | 'definition' | 'published_version'>,
  sections: readonly ResolvedSection[],
  { isCheck = false, name }: { isCheck?: boolean; name: string | null },
): Promise<Publication> {
  const { id: test_id, definition, published_version } = test
  const { digest, ...prepared } = prepareVersion(definition, sections)
  const latest = published_version === null ? undefined : await findDigest(transaction, test_id, published_version)
  const changed = latest === undefined || !latest.equals(digest)
  const version = (published_version ?? 0) + (changed ? 1 : 0)
  if (changed && !isCheck) {
    const { open_questions } = prepared
    const questions = sections.flatMap((section, index) =>
      freezeSection(section, newId).map((content, position) => ({
        ...{ section: index, position, content },
        card_id: section.cards[position]?.id ?? null,
      })),
    )
    const row = { test_id, version, definition, open_questions, digest, published_by: name, questions }
    await insertVersion(transaction, row)
  }
  return { ...prepared, version, changed }
}

function newId(): string {
  return randomBytes(9).toString('base64url')
}
