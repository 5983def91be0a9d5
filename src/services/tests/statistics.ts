import type { Kysely, Transaction } from 'kysely'
import {
  findPublishedCounts,
  findQuestionPlace,
  findSums,
  findTestVersion,
  listQuestionsWithSums,
  lockSums,
  type QuestionWithSums,
  type RenewedReport,
  writeReports,
  writeSums,
} from '../../../db/queries/tests/statistics.js'
import type { Database } from '../../../db/types.js'
import { cutPage } from '../../domain/page.js'
import { isCheckDue } from '../../domain/questions/statistics.js'
import { NO_PUBLISHED_VERSION } from '../../domain/tests/refusals.js'
import {
  addResult,
  NO_QUESTION_SUMS,
  type PersonalResult,
  type QuestionReport,
  renewReport,
} from '../../domain/tests/statistics.js'
import { invalidCursor } from '../../domain/text/parameters.js'

/** Adds the results of a person's first attempt at a test to the sums of its questions. */
export async function addToSums(
  transaction: Transaction<Database>,
  { test_id, version }: { test_id: number; version: number },
  results: readonly (PersonalResult & { question_id: number })[],
): Promise<void> {
  await lockSums(transaction, test_id, version)
  const sums = await findSums(
    transaction,
    results.map(({ question_id }) => question_id),
  )
  const added = results.map(({ question_id, ...result }) => ({
    question_id,
    sums: addResult(sums.get(question_id) ?? NO_QUESTION_SUMS, result),
  }))
  await writeSums(transaction, added)
}

export interface QuestionPage {
  /** Id of the last question of the previous page; undefined for the first page */
  after: number | undefined
  limit: number
}

/**
 * Returns the stored reports of a page of a version's questions. First renews the reports that lack at least
 * `minPersons` persons, as far as the differences to earlier reports reveal nothing about fewer persons.
 * @param version undefined means the published version
 * @throws NO_PUBLISHED_VERSION if the test or the version does not exist, or the test was never published
 * @throws InvalidInput if `after` is not a question of the version
 */
export async function findTestStatistics(
  db: Kysely<Database>,
  { slug, version }: { slug: string; version: number | undefined },
  { after, limit }: QuestionPage,
  { minPersons, now }: { minPersons: number; now: Date },
) {
  return db.transaction().execute(async (transaction) => {
    const found = await findTestVersion(transaction, slug, version)
    if (found === undefined) throw version === undefined ? NO_PUBLISHED_VERSION : NO_PUBLISHED_VERSION.at('version')
    const of = { testId: found.id, version: found.version }
    const place = after === undefined ? undefined : await findQuestionPlace(transaction, { ...of, id: after })
    if (after !== undefined && place === undefined) throw invalidCursor('after')
    await lockSums(transaction, found.id, found.version)
    const rows = await listQuestionsWithSums(transaction, of, { after: place, limit: limit + 1 })
    const { page: questions, next } = cutPage(rows, limit, ({ id }) => id)
    const due = questions.filter(
      ({ sums, checked_persons }) => sums !== null && isCheckDue(sums.item.persons, checked_persons, minPersons),
    )
    const renewed = due.length === 0 ? new Map() : await renewReports(transaction, due, { minPersons, now })
    return {
      version: found.version,
      min_persons: minPersons,
      questions: questions.map((question) => present(question, renewed.get(question.id) ?? question.report)),
      next_after: next,
    }
  })
}

async function renewReports(
  transaction: Transaction<Database>,
  questions: readonly QuestionWithSums[],
  options: { minPersons: number; now: Date },
): Promise<Map<number, QuestionReport>> {
  const published = await findPublishedCounts(
    transaction,
    questions.map(({ id }) => id),
  )
  const renewed = questions.map(({ id, content, sums: stored, report }): RenewedReport => {
    const sums = stored ?? NO_QUESTION_SUMS
    const shown = { report, published: published.get(id) ?? [] }
    return { question_id: id, persons: sums.item.persons, ...renewReport(content, sums, shown, options) }
  })
  await writeReports(transaction, renewed, options.now)
  return new Map(renewed.map(({ question_id, report }) => [question_id, report]))
}

function present({ section, position, card_id, content }: QuestionWithSums, report: QuestionReport | null) {
  const { form, question } = content
  const options = 'options' in content ? content.options : []
  return {
    section,
    position,
    card_id,
    form,
    question,
    report:
      report === null
        ? null
        : {
            ...report,
            options: report.options.map(({ id, ...counted }) => {
              const { text = '', correct = false } = options.find((option) => option.id === id) ?? {}
              return { text, correct, ...counted }
            }),
          },
  }
}
