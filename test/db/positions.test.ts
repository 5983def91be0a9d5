import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import t from 'tap'
import type { Database } from '../../db/types.js'
import { createMigratedDatabase, TEST_DATABASE_URL } from '../support/database.js'
import { createCard, createDeck, unique } from '../support/factories.js'
import fc, { runs } from '../support/property.js'

const database = await createMigratedDatabase()
t.teardown(() => database.close())
const { db } = database

/** Returns the stored positions and distinct answers, and those computed from cards and decks; all are sorted. */
async function readPositions(db: Kysely<Database>) {
  const { rows } = await sql<{ stored: unknown; expected: unknown }>`
    select
      json_build_object(
        'cards', (
          select json_agg(row order by row) from (
            select jsonb_build_array(deck_id, array_agg(position order by position), array_agg(card_id order by card_id))
            from card_positions group by deck_id
          ) as decks (row)
        ),
        'answers', (
          select json_agg(row order by row) from (
            select jsonb_build_array(option_text, encode(answer_hash, 'hex'), card_count) from distinct_answers
          ) as answers (row)
        ),
        'positions', array(select position from distinct_answers order by position),
        'total', (select total from distinct_answer_totals)
      ) as stored,
      json_build_object(
        'cards', (
          select json_agg(row order by row) from (
            select jsonb_build_array(
              deck_id, (select array_agg(number) from generate_series(0, card_count - 1) as number),
              array_agg(cards.id order by cards.id)
            )
            from cards join decks on decks.id = deck_id where cards.archived_at is null group by deck_id, card_count
          ) as decks (row)
        ),
        'answers', (
          select json_agg(row order by row) from (
            select jsonb_build_array(left(answer, 121), encode(sha256(convert_to(answer, 'UTF8')), 'hex'), count(*))
            from cards join decks on decks.id = deck_id
            where cards.archived_at is null and decks.archived_at is null
            group by answer
          ) as answers (row)
        ),
        'positions', array(select generate_series(0, number - 1)),
        'total', number
      ) as expected
    from (
      select count(distinct answer)::integer as number from cards join decks on decks.id = deck_id
      where cards.archived_at is null and decks.archived_at is null
    ) as live`.execute(db)
  return rows[0] as { stored: unknown; expected: unknown }
}

/**
 * Statements that scripts may send. `$deck` and `$other` stand for ids of decks (null if no deck is left), `$some` for
 * a condition that selects cards, and `$answer`, `$when` and `$size` for random values.
 */
const STATEMENTS = [
  `insert into decks (slug, name, archived_at) values (gen_random_uuid(), 'neu', $when)`,
  `insert into cards (deck_id, question, answer, archived_at)
    select $deck, 'q', case when number % 2 = 0 then $answer else 'a' || number end, $when
    from generate_series(1, $size) as number where $deck is not null`,
  `insert into cards (deck_id, question, answer) select id, 'q', $answer from decks`,
  'delete from cards where $some',
  'update cards set deck_id = $deck where $some',
  'update cards set answer = $answer where $some',
  `update cards set question = 'anders', sort_order = 7 where $some`,
  'update cards set archived_at = $when where $some',
  'update cards set archived_at = $when, deck_id = $deck, answer = $answer where $some',
  'update cards set deck_id = case when deck_id = $deck then $other when deck_id = $other then $deck else deck_id end',
  'update cards set id = id + 1000000 where id = (select min(id) from cards)',
  `insert into cards (id, deck_id, question, answer) select id, $deck, question, $answer from cards where $some
    on conflict (id) do update set deck_id = excluded.deck_id, answer = excluded.answer`,
  'update decks set archived_at = $when where id in ($deck, $other)',
  'delete from decks where id = $deck',
  'truncate cards cascade',
]

const change = fc.record({
  // `truncate` deletes all cards, so its weight is small.
  statement: fc.oneof(
    { arbitrary: fc.constantFrom(...STATEMENTS.slice(0, -1)), weight: 40 },
    { arbitrary: fc.constantFrom(...STATEMENTS.slice(-1)), weight: 1 },
  ),
  deck: fc.nat(3),
  other: fc.nat(3),
  answer: fc.constantFrom('Ja', 'Nein', 'ü'.repeat(121), `${'ü'.repeat(121)}!`),
  when: fc.constantFrom('null', 'now()'),
  some: fc.constantFrom('id % 2 = 0', 'id % 3 = 0', 'true', 'id % 7 = 1'),
  size: fc.integer({ min: 1, max: 9 }),
})

/** Sends each statement once; the drawn scripts of the gate may leave out some. */
const allStatements = STATEMENTS.map((statement) => {
  // The deletion leaves cards for the statements after it.
  const some = statement.startsWith('delete from cards') ? 'id % 7 = 1' : 'id % 2 = 0'
  return { statement, deck: 0, other: 1, answer: 'Ja', when: 'now()', some, size: 9 }
})

t.test('positions stay dense and answers counted after any statements', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 20 }), async (changes) => {
      await sql`truncate decks cascade`.execute(db)
      await sql
        .raw(`insert into decks (slug, name) select 'deck-' || number, 'n' from generate_series(0, 3) as number`)
        .execute(db)
      for (const { statement, deck, other, answer, when, some, size } of changes) {
        const deckId = (offset: number) =>
          `(select id from decks order by id offset ${offset} % greatest((select count(*) from decks), 1) limit 1)`
        const text = statement
          .replaceAll('$deck', deckId(deck))
          .replaceAll('$other', deckId(other))
          .replaceAll('$answer', `'${answer}'`)
          .replaceAll('$when', when)
          .replaceAll('$some', some)
          .replaceAll('$size', String(size))
        await sql.raw(text).execute(db)
        const { stored, expected } = await readPositions(db)
        assert.deepEqual(stored, expected, text)
      }
    }),
    { numRuns: runs(8), examples: [[allStatements]] },
  )
})

t.test('a rolled-back statement leaves the positions unchanged', async (t) => {
  const deck = await createDeck(db)
  await createCard(db, { deck_id: deck.id })
  await t.rejects(
    sql.raw(`insert into cards (deck_id, question, answer) values (${deck.id}, 'q', 'a'), (-1, 'q', 'b')`).execute(db),
  )
  const { stored, expected } = await readPositions(db)
  t.strictSame(stored, expected)
})

t.test(
  'concurrent writers leave dense positions without a deadlock',
  { skip: !TEST_DATABASE_URL && 'the embedded store has one connection' },
  async (t) => {
    const decks = await Promise.all(Array.from({ length: 4 }, () => createDeck(db)))
    const work = async (index: number) => {
      for (let round = 0; round < 10; round++) {
        const [one, two] = [decks[index % 4], decks[(index + round) % 4]]
        await db.transaction().execute(async (transaction) => {
          const card = await createCard(transaction, { deck_id: one?.id ?? 0, answer: `Antwort ${round}` })
          await createCard(transaction, { deck_id: two?.id ?? 0, answer: unique('Antwort') })
          if (round % 3 === 0) await transaction.deleteFrom('cards').where('id', '=', card.id).execute()
        })
        if (round === 5 && index < 4) {
          const archived_at = index % 2 === 0 ? new Date() : null
          await db
            .updateTable('decks')
            .set({ archived_at })
            .where('id', '=', two?.id ?? 0)
            .execute()
        }
        if (round === 7 && index === 5)
          await db
            .deleteFrom('cards')
            .where('deck_id', '=', two?.id ?? 0)
            .execute()
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, index) => work(index)))
    const { stored, expected } = await readPositions(db)
    t.strictSame(stored, expected)
  },
)

t.test(
  'cards can be truncated during a draw',
  { skip: !TEST_DATABASE_URL && 'the embedded store has one connection' },
  async (t) => {
    const { id } = await createDeck(db)
    await createCard(db, { deck_id: id })
    await db.transaction().execute(async (reader) => {
      // A random selection of cards takes these locks before it reads the cards.
      await sql`lock table card_positions, distinct_answers, decks in access share mode`.execute(reader)
      await db.transaction().execute(async (script) => {
        await sql`set local lock_timeout = '5s'`.execute(script)
        await sql`truncate cards cascade`.execute(script)
      })
    })
    const { stored, expected } = await readPositions(db)
    t.strictSame(stored, expected)
  },
)
