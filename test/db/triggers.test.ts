import { sql } from 'kysely'
import t from 'tap'
import { createMigratedDatabase, TEST_DATABASE_URL } from '../support/database.js'
import { createCard, createDeck, createProgress, createUser, unique } from '../support/factories.js'

const database = await createMigratedDatabase()
t.teardown(() => database.close())
const { db } = database

const countOf = async (id: number) =>
  (await db.selectFrom('decks').select('card_count').where('id', '=', id).executeTakeFirstOrThrow()).card_count

t.test('card_count follows every change of cards', async (t) => {
  const [one, two] = [await createDeck(db), await createDeck(db)]
  const card = await createCard(db, { deck_id: one.id })
  await db
    .insertInto('cards')
    .values([
      { deck_id: one.id, question: 'q', answer: 'a' },
      { deck_id: two.id, question: 'q', answer: 'a' },
      { deck_id: one.id, question: 'q', answer: 'a', archived_at: new Date() },
    ])
    .execute()
  t.strictSame([await countOf(one.id), await countOf(two.id)], [2, 1])
  await db.updateTable('cards').set({ deck_id: two.id }).where('id', '=', card.id).execute()
  t.strictSame([await countOf(one.id), await countOf(two.id)], [1, 2])
  await db.updateTable('cards').set({ archived_at: new Date() }).where('deck_id', '=', two.id).execute()
  t.strictSame([await countOf(one.id), await countOf(two.id)], [1, 0])
  await db.updateTable('cards').set({ archived_at: null, deck_id: one.id }).execute()
  t.strictSame([await countOf(one.id), await countOf(two.id)], [4, 0])
  await db.deleteFrom('cards').where('id', '=', card.id).execute()
  t.equal(await countOf(one.id), 3)
  await sql`truncate cards cascade`.execute(db)
  t.equal(await countOf(one.id), 0)
})

t.test('a card_count written by a script is overwritten', async (t) => {
  const { rows } = await sql<{ id: number }>`
    insert into decks (id, slug, name, description, card_count, sort_order)
    values (5000, ${unique('s')}, 'n', 'd', 99, 1) returning id`.execute(db)
  const id = rows[0]?.id as number
  t.equal(await countOf(id), 0)
  await createCard(db, { deck_id: id })
  await sql`update decks set card_count = 77, name = 'neu' where id = ${id}`.execute(db)
  t.equal(await countOf(id), 1)
})

t.test('a progress row stores the deck of its card', async (t) => {
  const user = await createUser(db)
  const [one, two] = [await createDeck(db), await createDeck(db)]
  const card = await createCard(db, { deck_id: one.id })
  const deckOfProgress = async () =>
    (await db.selectFrom('card_progress').select('deck_id').where('card_id', '=', card.id).executeTakeFirstOrThrow())
      .deck_id
  await createProgress(db, { user_id: user.id, card_id: card.id, last_rating: 'hard', next_review: '2026-01-01' })
  t.equal(await deckOfProgress(), one.id)
  await sql`update card_progress set deck_id = ${two.id}`.execute(db)
  t.equal(await deckOfProgress(), one.id, 'a script cannot set another deck')
  await db.updateTable('cards').set({ deck_id: two.id }).where('id', '=', card.id).execute()
  t.equal(await deckOfProgress(), two.id)
  await db.updateTable('cards').set({ archived_at: new Date() }).where('id', '=', card.id).execute()
  t.equal(await deckOfProgress(), null)
  await db.updateTable('cards').set({ archived_at: null }).where('id', '=', card.id).execute()
  t.equal(await deckOfProgress(), two.id)
  await t.rejects(createProgress(db, { user_id: user.id, card_id: card.id, last_rating: null, next_review: null }), {
    message: /card_progress_user_id_card_id_key/,
  })
  await t.rejects(
    sql`insert into card_progress (user_id, card_id, last_rating) values (${user.id}, ${card.id}, 'good')`.execute(db),
    { message: /card_progress_last_rating_check/ },
  )
})

t.test('updated_at changes exactly when a row changes', async (t) => {
  const old = new Date('2020-01-01')
  const deck = await createDeck(db, { updated_at: old })
  const updatedAt = async () =>
    (await db.selectFrom('decks').select('updated_at').where('id', '=', deck.id).executeTakeFirstOrThrow()).updated_at
  await db.updateTable('decks').set({ name: deck.name }).where('id', '=', deck.id).execute()
  t.strictSame(await updatedAt(), old)
  await db.updateTable('decks').set({ name: 'anders' }).where('id', '=', deck.id).execute()
  t.ok((await updatedAt()) > old)
})

t.test("an insert may name only the specification's columns, and given ids are skipped by the sequence", async (t) => {
  const given = 100_000
  const rows: [string, string][] = [
    [
      'users',
      `(id, username, password_hash, display_name, is_admin, created_at)
      values (${given}, 'skript', 'x', 'Skript', false, now())`,
    ],
    ['decks', `(id, slug, name, description, card_count, sort_order) values (${given}, 'skript', 'n', 'd', 3, 1)`],
    ['cards', `(id, deck_id, question, answer, level, sort_order) values (${given}, ${given}, 'q', 'a', 'l', 1)`],
    [
      'card_progress',
      `(id, user_id, card_id, last_rating, next_review)
      values (${given}, ${given}, ${given}, 'easy', '2026-01-01')`,
    ],
    [
      'quiz_results',
      `(user_id, deck_slug, quiz_type, score_percent, total_questions, correct_answers, created_at)
      values (${given}, 'all', 'multiple_choice', 66.7, 3, 2, now())`,
    ],
    ['cheatsheets', `(id, slug, title, category, content_md) values (${given}, 'skript', 't', 'c', 'm')`],
  ]
  for (const [table, values] of rows) await sql.raw(`insert into ${table} ${values}`).execute(db)
  const next = [
    (await createUser(db)).id,
    (await createDeck(db)).id,
    (await createCard(db, { deck_id: given })).id,
    (await createProgress(db, { user_id: given, card_id: given + 1, last_rating: null, next_review: null })).id,
  ]
  t.strictSame(next, [given + 1, given + 1, given + 1, given + 1])
  await sql`insert into users (id, username, password_hash, display_name) values (50, 'klein', 'x', 'y')`.execute(db)
  t.equal((await createUser(db)).id, given + 2, 'a smaller id does not set the sequence back')
})

t.test('the first id may be given', async (t) => {
  const fresh = await createMigratedDatabase()
  t.teardown(() => fresh.close())
  await sql`insert into users (id, username, password_hash, display_name) values (1, 'eins', 'x', 'y')`.execute(
    fresh.db,
  )
  t.equal((await createUser(fresh.db)).id, 2)
})

t.test(
  'two concurrent writers lose no card',
  { skip: !TEST_DATABASE_URL && 'the embedded store has one connection' },
  async (t) => {
    const deck = await createDeck(db)
    const insert = async () => {
      for (let index = 0; index < 20; index++) await createCard(db, { deck_id: deck.id })
    }
    await Promise.all(Array.from({ length: 5 }, insert))
    t.equal(await countOf(deck.id), 100)
    const ids = (await db.selectFrom('cards').select('id').where('deck_id', '=', deck.id).execute()).map(({ id }) => id)
    const other = await createDeck(db)
    await Promise.all(
      ids.map((id, index) =>
        index % 2 === 0
          ? db.deleteFrom('cards').where('id', '=', id).execute()
          : db.updateTable('cards').set({ deck_id: other.id }).where('id', '=', id).execute(),
      ),
    )
    t.strictSame([await countOf(deck.id), await countOf(other.id)], [0, 50])
  },
)

t.test('search texts follow every change of sheets', async (t) => {
  const texts = async () => {
    const { rows } = await sql<{ text: string[] }>`
      select array[slug, texts.title, content] as text
      from cheatsheets left join cheatsheet_texts as texts on cheatsheet_id = id order by id`.execute(db)
    const { rows: summaries } = await sql`
      select from cheatsheets left join cheatsheet_texts as texts on cheatsheet_id = id
      where archived_at is null and summary::jsonb is distinct from
        jsonb_build_object('id', id, 'slug', slug, 'title', cheatsheets.title, 'category', category)
        or sort_title collate "C" is distinct from case when archived_at is null then cheatsheets.title end collate "C"`.execute(
      db,
    )
    t.equal(summaries.length, 0, 'the stored summaries follow the sheets')
    return rows.map(({ text }) => text)
  }
  await sql`truncate cheatsheets cascade`.execute(db)
  await sql`
    insert into cheatsheets (slug, title, content_md)
    values ('eins', 'A\u0308RGER', 'GROß'), ('zwei', 'B', 'C')`.execute(db)
  t.strictSame(await texts(), [
    ['eins', 'ärger', 'groß'],
    ['zwei', 'b', 'c'],
  ])
  await sql`update cheatsheets set title = upper(title), content_md = 'U\u0308 ' || slug`.execute(db)
  t.strictSame(await texts(), [
    ['eins', 'ärger', 'ü eins'],
    ['zwei', 'b', 'ü zwei'],
  ])
  await sql`
    insert into cheatsheets (slug, title, content_md) values ('zwei', 'Neu', 'Alles'), ('drei', 'D', 'D')
    on conflict (slug) do update set title = excluded.title, content_md = excluded.content_md`.execute(db)
  await sql`update cheatsheets set id = id + 1000, slug = slug || '-neu' where slug = 'drei'`.execute(db)
  t.strictSame((await texts()).slice(1), [
    ['zwei', 'neu', 'alles'],
    ['drei-neu', 'd', 'd'],
  ])
  await sql`update cheatsheets set category = '"Neu"\n' where slug = 'eins'`.execute(db)
  await sql`update cheatsheets set archived_at = now() where slug <> 'zwei'`.execute(db)
  t.strictSame(await texts(), [
    ['eins', null, null],
    ['zwei', 'neu', 'alles'],
    ['drei-neu', null, null],
  ])
  await sql`update cheatsheets set title = 'Später', id = id + 1 where slug = 'drei-neu'`.execute(db)
  await sql`insert into cheatsheets (slug, title, content_md, archived_at) values ('alt', '', '', now())`.execute(db)
  await sql`update cheatsheets set archived_at = null where slug <> 'zwei'`.execute(db)
  t.strictSame((await texts()).toSorted(), [
    ['alt', '', ''],
    ['drei-neu', 'später', 'd'],
    ['eins', 'ärger', 'ü eins'],
    ['zwei', 'neu', 'alles'],
  ])
  await sql`delete from cheatsheets where slug = 'eins'`.execute(db)
  await sql`truncate cheatsheets cascade`.execute(db)
  const { rows } = await sql`select from cheatsheet_texts`.execute(db)
  t.equal(rows.length, 0)
})
