import { type Kysely, sql, type Transaction } from 'kysely'
import type { FrozenQuestion } from '../../../src/domain/questions/frozen.js'
import type { CellCounts } from '../../../src/domain/questions/publication.js'
import type { QuestionReport, QuestionSums } from '../../../src/domain/tests/statistics.js'
import type { Database } from '../../types.js'

// Raw SQL: the rows come from JSON (`jsonb_to_recordset`).

/** Locks the sums of a version until the end of the transaction. Attempts can still start. */
export async function lockSums(transaction: Transaction<Database>, testId: number, version: number): Promise<void> {
  await transaction
    .selectFrom('test_versions')
    .select('version')
    .where('test_id', '=', testId)
    .where('version', '=', version)
    .forNoKeyUpdate()
    .execute()
}

/** Returns the sums by question id. Questions without sums are missing. */
export async function findSums(db: Kysely<Database>, ids: readonly number[]): Promise<Map<number, QuestionSums>> {
  const rows = await db
    .selectFrom('question_sums')
    .select(['question_id', 'sums'])
    .where('question_id', '=', ({ fn, val }) => fn.any(val(ids)))
    .execute()
  return new Map(rows.map(({ question_id, sums }) => [question_id, sums as QuestionSums]))
}

/** Stores sums. The caller must have locked their version with `lockSums`. */
export async function writeSums(
  transaction: Transaction<Database>,
  sums: readonly { question_id: number; sums: QuestionSums }[],
): Promise<void> {
  await sql`
    insert into question_sums (question_id, sums)
    select question_id, sums from jsonb_to_recordset(${JSON.stringify(sums)}::jsonb) as added (question_id bigint, sums jsonb)
    on conflict (question_id) do update set sums = excluded.sums`.execute(transaction)
}

export interface QuestionWithSums {
  id: number
  section: number
  position: number
  card_id: number | null
  content: FrozenQuestion
  sums: QuestionSums | null
  report: QuestionReport | null
  checked_persons: number
}

export interface QuestionPlace {
  section: number
  position: number
}

export async function findQuestionPlace(
  db: Kysely<Database>,
  { testId, version, id }: { testId: number; version: number; id: number },
): Promise<QuestionPlace | undefined> {
  return db
    .selectFrom('test_questions')
    .select(['section', 'position'])
    .where('id', '=', id)
    .where('test_id', '=', testId)
    .where('version', '=', version)
    .executeTakeFirst()
}

export async function listQuestionsWithSums(
  db: Kysely<Database>,
  { testId, version }: { testId: number; version: number },
  { after, limit }: { after: QuestionPlace | undefined; limit: number },
): Promise<QuestionWithSums[]> {
  const { section, position } = after ?? { section: -1, position: -1 }
  const rows = await db
    .selectFrom('test_questions')
    .leftJoin('question_sums', 'question_id', 'test_questions.id')
    .select(['test_questions.id', 'section', 'position', 'card_id', 'content', 'sums', 'report', 'checked_persons'])
    .where('test_id', '=', testId)
    .where('version', '=', version)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('section', 'position'), '>', tuple(section, position)))
    .orderBy('section')
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    ...row,
    sums: row.sums as QuestionSums | null,
    report: row.report as QuestionReport | null,
    checked_persons: row.checked_persons ?? 0,
  }))
}

/** Returns the counts that reports have published, oldest first, by question id. Questions without reports are missing. */
export async function findPublishedCounts(
  db: Kysely<Database>,
  questionIds: readonly number[],
): Promise<Map<number, CellCounts[]>> {
  const rows = await db
    .selectFrom('question_reports')
    .select(['question_id', 'persons', 'cells'])
    .where('question_id', '=', ({ fn, val }) => fn.any(val(questionIds)))
    .orderBy('question_id')
    .orderBy('persons')
    .execute()
  const found = new Map<number, CellCounts[]>()
  for (const { question_id, persons, cells } of rows) {
    const counts = found.get(question_id) ?? []
    counts.push({ persons, cells })
    found.set(question_id, counts)
  }
  return found
}

export interface RenewedReport {
  question_id: number
  persons: number
  report: QuestionReport
  /** Null if the report publishes no new counts */
  counts: CellCounts | null
}

/** Stores checked reports and the counts that they publish. */
export async function writeReports(
  transaction: Transaction<Database>,
  renewed: readonly RenewedReport[],
  now: Date,
): Promise<void> {
  await sql`
    with renewed as (
      select question_id, persons, report, counts -> 'cells' as cells
      from jsonb_to_recordset(${JSON.stringify(renewed)}::jsonb)
        as renewed (question_id bigint, persons integer, report jsonb, counts jsonb)
    ), published as (
      insert into question_reports (question_id, persons, cells, published_at)
      select question_id, persons, cells, ${now}::timestamptz from renewed where cells is not null
    )
    update question_sums set report = renewed.report, checked_persons = renewed.persons
    from renewed where question_sums.question_id = renewed.question_id`.execute(transaction)
}

/** @param version undefined for the published version */
export async function findTestVersion(
  db: Kysely<Database>,
  slug: string,
  version: number | undefined,
): Promise<{ id: number; version: number } | undefined> {
  const versions = db
    .selectFrom('tests')
    .innerJoin('test_versions', 'test_versions.test_id', 'tests.id')
    .select(['tests.id', 'test_versions.version'])
    .where('slug', '=', slug)
  const wanted =
    version === undefined
      ? versions.whereRef('test_versions.version', '=', 'published_version')
      : versions.where('test_versions.version', '=', version)
  return wanted.executeTakeFirst()
}
