import { sql } from 'kysely'
import t from 'tap'
import { migrateTo, migrateToLatest } from '../../db/migrate.js'
import { migrations } from '../../db/migrations/index.js'
import { createEmptyDatabase } from '../support/database.js'

const database = await createEmptyDatabase()
t.teardown(() => database.close())
const { db } = database

t.test('the migration restores the due day of cards that are put off', async (t) => {
  await migrateTo(
    db,
    Object.keys(migrations).filter((name) => name < '0038'),
  )
  await sql`insert into users (id, username, display_name, password_hash) values (1, 'erika', 'Erika', 'x')`.execute(db)
  await sql`insert into decks (id, slug, name) values (1, 'a', 'A')`.execute(db)
  const write = async (
    card: number,
    [due, ...entries]: [string, ...({ from: string; undone?: true } | 'review')[]],
  ) => {
    await sql`insert into cards (id, deck_id, question, answer) values (${card}, 1, 'A', 'B')`.execute(db)
    let last = card * 100
    await sql`
      insert into card_progress (user_id, card_id, last_rating, next_review, last_review, last_review_id)
      values (1, ${card}, 'medium', ${due}::date, '2026-10-01', ${card * 100 + (entries.at(-1) === 'review' ? 9 : 0)})
    `.execute(db)
    for (const entry of entries) {
      if (entry === 'review') continue
      const before = JSON.stringify({ next_review: entry.from, last_review_id: card * 100 })
      last += 1
      await sql`
        insert into review_log (id, user_id, card_id, kind, studied_on, created_at, before, answer)
        overriding system value
        values (${last}, 1, ${card}, 'tomorrow', '2026-11-20', now(), ${before}::jsonb, '{}')`.execute(db)
      if (entry.undone) {
        await sql`
          insert into review_log (id, user_id, card_id, kind, undoes, studied_on, created_at, answer)
          overriding system value
          values (${last + 50}, 1, ${card}, 'undo', ${last}, '2026-11-20', now(), '{}')`.execute(db)
      }
    }
  }
  await write(1, ['2026-11-22', { from: '2026-10-04' }, { from: '2026-11-21' }])
  await write(2, ['2026-10-04', { from: '2026-10-04', undone: true }])
  await write(3, ['2026-11-22', { from: '2026-10-04' }, 'review'])
  await write(4, ['2026-10-04'])

  await migrateToLatest(db)
  const stored = await db.selectFrom('card_progress').select(['card_id', 'put_off_from']).orderBy('card_id').execute()
  t.strictSame(
    stored.map(({ card_id, put_off_from }) => [card_id, put_off_from]),
    [
      [1, '2026-10-04'],
      [2, null],
      [3, null],
      [4, null],
    ],
  )
})
