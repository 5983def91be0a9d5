import { stringify } from 'csv-stringify/sync'
import type { Kysely } from 'kysely'
import { findEditedTest } from '../../../db/queries/tests/definitions.js'
import { listDeckSlugs } from '../../../db/queries/tests/publish.js'
import type { Database } from '../../../db/types.js'
import { TEST_NOT_FOUND } from '../../domain/content/refusals.js'
import { toMoodleQuestion } from '../../domain/questions/moodle-question.js'
import { type QuestionRow, toQuestionRow } from '../../domain/tests/question-table.js'
import { isQuestion, type QuestionCard } from '../../domain/tests/sections.js'
import { CSV_FORMAT, CSV_MARK } from '../../domain/text/csv.js'
import { mapInTurns, runInTurns } from '../content/turns.js'
import { findNamedDecks } from './named-decks.js'
import { requireSections } from './publish.js'

export const QUESTION_FORMATS = ['moodle', 'csv'] as const
export type QuestionExportFormat = (typeof QUESTION_FORMATS)[number]

/** Number of rows of the table that are written in one step */
const ROWS_AT_ONCE = 50

/** Questions of one deck or test; the name becomes a category in Moodle. */
interface QuestionGroup {
  name: string
  cards: QuestionCard[]
}

/**
 * Returns the questions of a test in its current state, published or not, as Moodle XML or CSV.
 * @throws TEST_NOT_FOUND if the test does not exist
 * @throws NotPublishable if a section cannot be published, for example because its deck is missing
 */
export async function exportTest(db: Kysely<Database>, slug: string, format: QuestionExportFormat): Promise<Buffer> {
  const test = await findEditedTest(db, slug)
  if (test === undefined) throw TEST_NOT_FOUND
  const { definition, source } = test
  const sections = await requireSections(db, test, source?.id ?? null)
  return write([{ name: definition.name, cards: sections.flatMap(({ cards }) => cards) }], format)
}

/** Returns the questions of a source's decks and pools as Moodle XML or CSV, without drafts and archived questions. */
export async function exportSourceQuestions(
  db: Kysely<Database>,
  sourceId: number,
  format: QuestionExportFormat,
): Promise<Buffer> {
  const slugs = await listDeckSlugs(db, sourceId)
  const decks = await findNamedDecks(db, slugs, [])
  const groups = slugs.flatMap((slug) => {
    const deck = decks.get(slug)
    const cards = deck?.cards.filter(({ state }) => state === 'live').filter(isQuestion) ?? []
    return deck?.is_live && cards.length > 0 ? [{ name: deck.name, cards }] : []
  })
  return write(groups, format)
}

async function write(groups: readonly QuestionGroup[], format: QuestionExportFormat): Promise<Buffer> {
  // The modules of both formats are imported on demand, because they also load an XML parser, which is otherwise needed
  // only in worker threads.
  if (format === 'csv') {
    const { guardCell } = await import('../../domain/table/index.js')
    const cards = groups.flatMap((group) => group.cards)
    const rows = await mapInTurns(cards, toQuestionRow)
    return runInTurns(collect(writeCsv(rows, guardCell)))
  }
  const { writeMoodle } = await import('../../domain/moodle/index.js')
  const categories = groups.map(({ name, cards }) => ({
    names: name.split('::'),
    questions: convert(cards),
  }))
  return runInTurns(collect(writeMoodle(categories)))
}

function* convert(cards: readonly QuestionCard[]) {
  for (const card of cards) yield toMoodleQuestion(card)
}

/** Joins the pieces of a file. Yields after each piece. */
function* collect(pieces: Iterable<string>): Generator<void, Buffer> {
  const buffers: Buffer[] = []
  for (const piece of pieces) {
    buffers.push(Buffer.from(piece))
    yield
  }
  return Buffer.concat(buffers)
}

function* writeCsv(rows: readonly QuestionRow[], guardCell: (text: string) => string): Generator<string> {
  const most = rows.reduce((count, { wrong }) => Math.max(count, wrong.length), 1)
  const wrongs = Array.from({ length: most }, (_, index) => index)
  const headings = ['Frage', 'Antwort', ...wrongs.map((index) => `Falsch ${index + 1}`), 'Erklärung']
  yield CSV_MARK + stringify([headings], CSV_FORMAT)
  for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
    const cells = rows
      .slice(first, first + ROWS_AT_ONCE)
      .map(({ question, answer, wrong, explanation }) =>
        [question, answer, ...wrongs.map((index) => wrong[index] ?? ''), explanation].map(guardCell),
      )
    yield stringify(cells, CSV_FORMAT)
  }
}
