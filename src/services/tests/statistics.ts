import type { Kysely, Transaction } from 'kysely'
import {
  findSums,
  findTestVersion,
  listQuestionsWithSums,
  lockSums,
  type QuestionWithSums,
  writeReports,
  writeSums,
} from '../../../db/queries/tests/statistics.js'
import type { Database } from '../../../db/types.js'
import { isSnapshotDue } from '../../domain/questions/statistics.js'
import { NO_PUBLISHED_VERSION } from '../../domain/tests/refusals.js'
import {
  addResult,
  NO_QUESTION_SUMS,
  type PersonalResult,
  type QuestionReport,
  reportOf,
} from '../../domain/tests/statistics.js'

/** Adds a person's first attempt at a test to the sums of its questions. */
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

/**
 * Returns the report of each question of a version. Reports that are due are renewed, so that two reports always differ
 * by several persons.
 * @param version default: the published one
 * @throws NO_PUBLISHED_VERSION
 */
export async function findStatistics(
  db: Kysely<Database>,
  slug: string,
  version: number | undefined,
  minPersons: number,
) {
  return db.transaction().execute(async (transaction) => {
    const found = await findTestVersion(transaction, slug, version)
    if (found === undefined) throw NO_PUBLISHED_VERSION
    await lockSums(transaction, found.id, found.version)
    const questions = await listQuestionsWithSums(transaction, found.id, found.version)
    const due = questions.flatMap(({ id, content, sums, report_persons }) =>
      sums !== null && isSnapshotDue(sums.item.persons, report_persons, minPersons)
        ? [{ question_id: id, report: reportOf(content, sums, minPersons) }]
        : [],
    )
    if (due.length > 0) await writeReports(transaction, due)
    const renewed = new Map(due.map(({ question_id, report }) => [question_id, report]))
    return {
      version: found.version,
      min_persons: minPersons,
      questions: questions.map((question) => present(question, renewed.get(question.id) ?? question.report)),
    }
  })
}

function present({ section, position, card_id, content }: QuestionWithSums, report: QuestionReport | null) {
  const { form, question } = content
  const options = 'options' in content ? content.options : []
  return {
    ...{ section, position, card_id, form, question },
    report:
      report === null
        ? null
        : {
            ...report,
            options: report.options.map(({ id, count, share }) => {
              const { text = '', correct = false } = options.find((option) => option.id === id) ?? {}
              return { text, correct, count, share }
            }),
          },
  }
}
