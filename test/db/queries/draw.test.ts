import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { drawCards } from '../../../db/queries/quiz/draw.js'
import type { Database } from '../../../db/types.js'
import { createMigratedDatabase } from '../../support/database.js'
import { createCard, createDeck } from '../../support/factories.js'
import { runs } from '../../support/property.js'
import { mulberry32 } from '../../support/random.js'
import { SEED } from '../../support/seed.js'

const database = await createMigratedDatabase()
t.teardown(() => database.close())
const { db } = database

/** Returns Pearson's chi-square statistic for counts that should be equal. */
function chiSquare(counts: number[]): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0)
}

/** Runs the work on one connection, whose `random()` is seeded. */
async function onSeededConnection(work: (db: Kysely<Database>) => Promise<void>): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`select setseed(${mulberry32(SEED)()})`.execute(connection)
    await work(connection)
  })
}

t.test('every subset of cards is equally likely, in any order, for any deck sizes and id gaps', async (t) => {
  const [big, small, hidden] = [await createDeck(db), await createDeck(db), await createDeck(db)]
  const ids = [7, 8, 1_000, 2_000_000_000]
  for (const id of ids) await createCard(db, { id, deck_id: big.id })
  await createCard(db, { id: 50, deck_id: small.id })
  await createCard(db, { id: 51, deck_id: small.id, archived_at: new Date() })
  await createCard(db, { id: 52, deck_id: hidden.id })
  await db.updateTable('decks').set({ archived_at: new Date() }).where('id', '=', hidden.id).execute()
  const counts = new Map<string, number>()
  await onSeededConnection(async (connection) => {
    for (let index = 0; index < runs(400); index++) {
      const drawn = (await drawCards(connection, undefined, 2)).map((card) => card.card_id).join()
      counts.set(drawn, (counts.get(drawn) ?? 0) + 1)
    }
  })
  t.equal(counts.size, 20, 'two of five cards, in both orders')
  // With 19 degrees of freedom, 60 is exceeded by chance for one of 260,000 seeds.
  t.ok(chiSquare([...counts.values()]) < 60, `chi-square of ${[...counts.values()]}`)
  await sql`truncate decks cascade`.execute(db)
})

t.test('every distinct answer is equally likely, however skewed the content is', async (t) => {
  const deck = await createDeck(db)
  await sql`
    insert into cards (deck_id, question, answer)
    select ${deck.id}, 'q', 'Antwort ' || case when number <= 250 then number else 1 end
    from generate_series(1, 5000) as number`.execute(db)
  const offered = new Map<string, number>()
  await onSeededConnection(async (connection) => {
    for (let index = 0; index < runs(60); index++) {
      const cards = await drawCards(connection, deck.slug, 50)
      const pool = new Set(cards.flatMap((card) => card.others))
      for (const answer of pool) offered.set(answer, (offered.get(answer) ?? 0) + 1)
      for (const card of cards) {
        if (new Set(card.others).size < 3) t.fail('fewer than three wrong options')
        if (card.others.includes(card.answer)) t.fail('its own answer among the others')
      }
    }
  })
  // Almost every card has this answer, so it is rarely a wrong option. The other 249 answers are equally likely.
  offered.delete('Antwort 1')
  t.equal(offered.size, 249)
  // With 248 degrees of freedom, 370 is exceeded by chance for one of a million seeds.
  t.ok(chiSquare([...offered.values()]) < 370, `chi-square of ${[...offered.values()]}`)
  await sql`truncate decks cascade`.execute(db)
})

t.test('all wrong options of a quiz come from one pool of 200 answers', async (t) => {
  const deck = await createDeck(db)
  await sql`
    insert into cards (deck_id, question, answer)
    select ${deck.id}, 'q', 'Antwort ' || number from generate_series(1, 2000) as number`.execute(db)
  const quizzes = 20
  let offered = 0
  await onSeededConnection(async (connection) => {
    for (let index = 0; index < quizzes; index++) {
      const cards = await drawCards(connection, undefined, 50)
      offered += new Set(cards.flatMap((card) => card.others)).size
    }
  })
  // 50 draws of 4 from 200 give 200 * (1 - 0.98 ** 50) = 127.2 distinct answers; from 100 they would give 87, from
  // 2,000 190.
  const mean = offered / quizzes
  t.ok(mean > 119 && mean < 135, `${mean} different answers`)
  await sql`truncate decks cascade`.execute(db)
})

t.test('sample_positions draws without repetition, and all if there are too few', async (t) => {
  const sample = async (total: number, size: number) => {
    const { rows } = await sql<{ positions: number[] }>`
      select sample_positions(${total}::integer, ${size}::integer) as positions`.execute(db)
    return rows[0]?.positions.toSorted((a, b) => a - b)
  }
  t.strictSame(await sample(0, 3), [])
  t.strictSame(await sample(1, 3), [0])
  t.strictSame(await sample(3, 3), [0, 1, 2])
  const drawn = (await sample(201, 200)) ?? []
  t.equal(new Set(drawn).size, 200)
  t.ok(drawn.every((position) => position >= 0 && position <= 200))
})
