import { sql } from 'kysely'
import t from 'tap'
import { migrateTo, migrateToLatest } from '../../db/migrate.js'
import { migrations } from '../../db/migrations/index.js'
import { createEmptyDatabase } from '../support/database.js'
import { CARDS, publishTest, singleChoice } from '../support/taken-tests.js'

const database = await createEmptyDatabase()
t.teardown(() => database.close())
const { db } = database

/** Applies the migrations before the given one. */
const migrateBefore = (migration: string) =>
  migrateTo(
    db,
    Object.keys(migrations).filter((name) => name < migration),
  )

// One database is migrated step by step, because all migrations take seconds. Each function writes the rows that the
// next migration converts.
await migrateBefore('0021')
const { questions, single, multiple } = await writeReports()
await migrateBefore('0029')
const { learnt, talk } = await writeOccurrences()
await migrateBefore('0038')
await writeProgress()
await migrateToLatest(db)

async function writeReports() {
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
  return { questions, single, multiple }
}

t.test('the migration stores what earlier reports have shown, with the counts of today', async (t) => {
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

async function writeOccurrences() {
  const user = await db
    .insertInto('users')
    .values({ username: 'erika', display_name: 'Erika', password_hash: 'x' } as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  const deck = await db
    .insertInto('decks')
    .values({ slug: 'a', name: 'A' } as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  const card = await db
    .insertInto('cards')
    .values({ deck_id: deck.id, question: 'A', answer: 'B' } as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  const assign = async (kinds: ('deck' | 'personal')[]) => {
    const { id } = await db
      .insertInto('assignments')
      .values({
        title: 'A',
        description: '',
        due_days: 30,
        every_months: 12,
        window_end: '03-31',
        opens_days_before: 30,
        mandatory: true,
        retention_years: 2,
        created_on: '2024-01-01',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const parts = kinds.map((kind, position) => ({
      assignment_id: id,
      position,
      kind,
      title: 'A',
      deck_id: kind === 'deck' ? deck.id : null,
    }))
    await db.insertInto('assignment_parts').values(parts).execute()
    for (const year of [2024, 2025, 2026]) {
      const [period, due_on, counts_from] = [`${year}-03-01`, `${year}-03-31`, new Date(`${year}-03-01T00:00:00Z`)]
      const row = { assignment_id: id, user_id: user.id, period, due_on, content_version: 1, counts_from }
      await db.insertInto('occurrences').values(row).execute()
    }
    return id
  }
  const assigned = { learnt: await assign(['deck']), talk: await assign(['deck', 'personal']) }
  await db
    .insertInto('review_log')
    .values({
      user_id: user.id,
      card_id: card.id,
      deck_id: deck.id,
      kind: 'review',
      rating: 'medium',
      phase: 'new',
      studied_on: '2026-04-01',
      answer: '{}',
      created_at: new Date('2026-04-01T00:00:00Z'),
    } as never)
    .execute()
  return assigned
}

t.test('the migration settles what was done, and leaves the newest occurrence open', async (t) => {
  const statesOf = (id: number) =>
    db
      .selectFrom('occurrences')
      .leftJoin('occurrence_parts', 'occurrence_id', 'occurrences.id')
      .select(['state', 'missed_at', 'position'])
      .where('assignment_id', '=', id)
      .orderBy('period')
      .execute()
  const missed = (missed_at: string, position: number | null) => ({
    state: 'missed',
    missed_at: new Date(missed_at),
    position,
  })
  const open = { state: 'open', missed_at: null, position: null }
  t.strictSame(
    await statesOf(learnt),
    [missed('2026-04-01T00:00:00.001Z', 0), missed('2026-04-01T00:00:00.001Z', null), open],
    'the first is complete, and planning marks it as done',
  )
  t.strictSame(await statesOf(talk), [missed('2025-03-01T00:00:00Z', 0), missed('2026-03-01T00:00:00Z', null), open])
})

// The ids are far from those that the other rows get.
async function writeProgress() {
  await sql`insert into users (id, username, display_name, password_hash) values (1000, 'max', 'Max', 'x')`.execute(db)
  await sql`insert into decks (id, slug, name) values (1000, 'b', 'B')`.execute(db)
  const write = async (
    card: number,
    [due, ...entries]: [string, ...({ from: string; undone?: true } | 'review')[]],
  ) => {
    await sql`insert into cards (id, deck_id, question, answer) values (${card}, 1000, 'A', 'B')`.execute(db)
    let last = card * 100
    await sql`
      insert into card_progress (user_id, card_id, last_rating, next_review, last_review, last_review_id)
      values (1000, ${card}, 'medium', ${due}::date, '2026-10-01', ${card * 100 + (entries.at(-1) === 'review' ? 9 : 0)})
    `.execute(db)
    for (const entry of entries) {
      if (entry === 'review') continue
      const before = JSON.stringify({ next_review: entry.from, last_review_id: card * 100 })
      last += 1
      await sql`
        insert into review_log (id, user_id, card_id, kind, studied_on, created_at, before, answer)
        overriding system value
        values (${last}, 1000, ${card}, 'tomorrow', '2026-11-20', now(), ${before}::jsonb, '{}')`.execute(db)
      if (entry.undone) {
        await sql`
          insert into review_log (id, user_id, card_id, kind, undoes, studied_on, created_at, answer)
          overriding system value
          values (${last + 50}, 1000, ${card}, 'undo', ${last}, '2026-11-20', now(), '{}')`.execute(db)
      }
    }
  }
  await write(1001, ['2026-11-22', { from: '2026-10-04' }, { from: '2026-11-21' }])
  await write(1002, ['2026-10-04', { from: '2026-10-04', undone: true }])
  await write(1003, ['2026-11-22', { from: '2026-10-04' }, 'review'])
  await write(1004, ['2026-10-04'])
}

t.test('the migration restores the due day of cards that are put off', async (t) => {
  const stored = await db.selectFrom('card_progress').select(['card_id', 'put_off_from']).orderBy('card_id').execute()
  t.strictSame(
    stored.map(({ card_id, put_off_from }) => [card_id, put_off_from]),
    [
      [1001, '2026-10-04'],
      [1002, null],
      [1003, null],
      [1004, null],
    ],
  )
})

t.test('an upgrade makes the instants before it unknown to lists of changes', async (t) => {
  const changes = await db.selectFrom('changes').select('kind').execute()
  t.strictSame(changes, [{ kind: 'reset' }])
})
