import { sql } from 'kysely'
import t from 'tap'
import { migrateTo, migrateToLatest } from '../../db/migrate.js'
import { migrations } from '../../db/migrations/index.js'
import { createEmptyDatabase } from '../support/database.js'
import { CARDS, publishTest, singleChoice } from '../support/taken-tests.js'

const database = await createEmptyDatabase()
t.teardown(() => database.close())
const { db } = database

const BEFORE = Object.keys(migrations).filter((name) => name < '0021')

t.test('the migration stores what earlier reports have shown, with the counts of today', async (t) => {
  await migrateTo(db, BEFORE)
  const { questions } = await publishTest(db, {}, { cards: [singleChoice('Frage'), CARDS.multiple, CARDS.text] })
  const idsOf = (index: number) => {
    const content = questions[index]?.content
    return content !== undefined && 'options' in content ? content.options.map(({ id }) => id) : []
  }
  const write = (index: number, sums: object, report: object | null) =>
    sql`insert into question_sums (question_id, sums, report, report_persons)
      values (${questions[index]?.id}, ${JSON.stringify(sums)}::jsonb, ${report === null ? null : JSON.stringify(report)}::jsonb, 10)`.execute(
      db,
    )
  const optionsOf = (ids: string[], counts: (number | null)[]) =>
    ids.map((id, index) => ({ id, count: counts[index] ?? null, share: null }))
  const [single, multiple] = [idsOf(0), idsOf(1)]
  const rest = { persons: 10, correlation: null, median_seconds: 9, flags: [] }
  const item = { persons: 13 }
  await write(
    0,
    { item, full: 7, unanswered: 1, chosen: { [single[0] as string]: 7, [single[1] as string]: 5 } },
    { ...rest, facility: 0.5, unanswered: null, options: optionsOf(single, [5, 5, null, null]) },
  )
  await write(
    1,
    { item, full: 6, unanswered: 0, chosen: { [multiple[0] as string]: 12 } },
    { ...rest, facility: 0.6, unanswered: null, options: optionsOf(multiple, [10, null, null, null]) },
  )
  await write(2, { item, full: 8, unanswered: 5, chosen: {} }, null)

  await migrateToLatest(db)
  const stored = await db.selectFrom('question_reports').select(['question_id', 'persons', 'cells']).execute()
  t.strictSame(stored, [
    {
      question_id: questions[0]?.id,
      persons: 13,
      cells: { [`option ${single[0]}`]: 7, [`option ${single[1]}`]: 5 },
    },
    { question_id: questions[1]?.id, persons: 13, cells: { full: 6, [`option ${multiple[0]}`]: 6 } },
  ])
  const shown = await db
    .selectFrom('question_sums')
    .select(['report', 'checked_persons'])
    .orderBy('question_id')
    .execute()
  t.match(shown, [
    { checked_persons: 13, report: { as_of: null, options: [{ id: single[0], count: 5, as_of: null }, {}, {}, {}] } },
    { checked_persons: 13, report: { persons: 10, unanswered_as_of: null } },
    { checked_persons: 10, report: null },
  ])
})
