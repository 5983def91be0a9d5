import t from 'tap'
import { migrateTo, migrateToLatest } from '../../db/migrate.js'
import { migrations } from '../../db/migrations/index.js'
import { createEmptyDatabase } from '../support/database.js'

const database = await createEmptyDatabase()
t.teardown(() => database.close())
const { db } = database

const BEFORE = Object.keys(migrations).filter((name) => name < '0029')

t.test('the migration settles what was done, and leaves the newest occurrence open', async (t) => {
  await migrateTo(db, BEFORE)
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
  const [learnt, talk] = [await assign(['deck']), await assign(['deck', 'personal'])]
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

  await migrateToLatest(db)
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
