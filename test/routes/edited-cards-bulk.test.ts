import { sql } from 'kysely'
import t from 'tap'
import { TooManyAttempts } from '../../src/domain/refusal.js'
import { changeInBulk } from '../../src/services/content/editing/bulk.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { createCard, createDeck, createProgress, unique } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const service = await startService(t)
const { db } = service
const source = await createSource(db)
const editor = await createEditor(service, source)
const admin = await service.admin()

const CARDS = '/api/content/cards'
const bulk = (body: object, caller: Caller = editor) => caller.post(`${CARDS}/bulk`, body)
const undo = (id: number, caller: Caller = editor) => caller.post(`/api/content/changes/${id}/undo`)
const read = async (id: number) => (await admin.get(`${CARDS}/${id}`)).body.card
const writeCards = async (deck: string, count: number, rest: object = {}) => {
  const ids: number[] = []
  for (let number = 0; number < count; number++) ids.push((await writeCard(editor, deck, rest)).id)
  return ids
}
const countChanges = async () =>
  (
    await db
      .selectFrom('content_changes')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

t.test('lists the versions of a card with their authors and restores one', async (t) => {
  const second = await createEditor(service, source)
  const card = await writeCard(editor, await writeDeck(editor, source), { question: 'eins', level: 'a' })
  await second.patch(`${CARDS}/${card.id}`, { version: 1, question: 'zwei' })
  await editor.patch(`${CARDS}/${card.id}`, { version: 2, question: 'drei', level: 'b' })
  const list = async (query = '') => (await editor.get(`${CARDS}/${card.id}/versions${query}`)).body
  t.match(await list(), {
    versions: [
      { version: 3, question: 'drei', level: 'b', how: 'edit', changed_by: editor.username, changed_at: String },
      { version: 2, question: 'zwei', level: 'a', how: 'edit', changed_by: second.username },
      {
        version: 1,
        question: 'eins',
        level: 'a',
        how: 'create',
        changed_by: editor.username,
        options: { length: 0 },
        form: null,
      },
    ],
    next_before: null,
  })
  t.match(await list('?limit=1'), { versions: [{ version: 3 }], next_before: 3 })
  t.match(await list('?limit=1&before=3'), { versions: [{ version: 2 }], next_before: 2 })
  const restore = (version: number, body?: object) =>
    second.post(`${CARDS}/${card.id}/versions/${version}/restore`, body)
  t.strictSame((await restore(1, { version: 2 })).body, errorBody(409, 'Inzwischen geändert'))
  t.match((await restore(1, { version: 3 })).body.card, { version: 4, question: 'eins', level: 'a' })
  t.match((await list()).versions[0], { version: 4, how: 'restore', changed_by: second.username })
  t.match((await restore(4)).body.card, { version: 4 }, 'restoring the current version changes nothing')
  t.strictSame((await restore(9)).body, errorBody(404, 'Fassung nicht gefunden'))
  await db.deleteFrom('users').where('id', '=', second.id).execute()
  t.match((await list()).versions[0], { version: 4, question: 'eins', changed_by: null })
})

t.test('keeps the first and the latest texts of a card', async (t) => {
  const card = await writeCard(editor, await writeDeck(editor, source))
  for (let version = 1; version <= 53; version++) {
    await editor.patch(`${CARDS}/${card.id}`, { version, question: `Frage ${version + 1}` })
  }
  const { versions } = (await editor.get(`${CARDS}/${card.id}/versions?limit=100`)).body
  const numbers = versions.map(({ version }: { version: number }) => version)
  t.strictSame(numbers, [...Array.from({ length: 51 }, (_, index) => 54 - index), 1])
  t.ok(versions.every(({ changed_by }: { changed_by: string }) => changed_by === editor.username))
})

t.test('a bulk change is one entry of the history and is undone as a whole', async (t) => {
  const [deck, other] = [await writeDeck(editor, source), await writeDeck(editor, source)]
  const ids = await writeCards(deck, 4)
  const before = await Promise.all(ids.map(read))
  const changes = await countChanges()
  const { body } = await bulk({ ids: [...ids, ids[0]], change: { level: 'neu', draft: true, deck: other } })
  t.match(body, { change_id: Number, changed: 4, hits: 0 })
  t.equal(body.examples.length, 4)
  t.match(body.examples[0], { id: ids[0], before: { level: 'basis' }, after: { level: 'neu' } })
  t.equal(await countChanges(), changes + 1)
  for (const id of ids) t.match(await read(id), { level: 'neu', draft: true, deck: { slug: other }, version: 2 })

  const { status, body: undone } = await undo(body.change_id)
  t.equal(status, 200)
  t.strictSame(undone, { undone: 4, skipped: [] })
  for (const [index, id] of ids.entries()) {
    const { updated_at: _, ...expected } = before[index]
    t.match(await read(id), { ...expected, version: 3 })
  }
  const listed = (await editor.get(`${CARDS}?deck=${deck}`)).body.cards.map(({ id }: { id: number }) => id)
  t.strictSame(listed, ids, 'the undo restores the order')
  t.strictSame((await undo(body.change_id)).body, errorBody(409, 'Diese Änderung ist schon rückgängig gemacht'))
})

t.test('an undo skips and reports cards that have changed since', async (t) => {
  const deck = await writeDeck(editor, source)
  const [a, b, c] = (await writeCards(deck, 3)) as [number, number, number]
  const { change_id } = (await bulk({ ids: [a, b, c], change: { replace: { find: 'Frage', with: 'Aufgabe' } } })).body
  await editor.patch(`${CARDS}/${a}`, { version: 2, answer: 'Neu' })
  await editor.patch(`${CARDS}/${b}`, { archived: true })
  t.strictSame((await undo(change_id)).body, { undone: 1, skipped: [a, b] })
  t.match(await read(a), { question: /^Aufgabe/, answer: 'Neu', version: 3 })
  t.match(await read(c), { question: /^Frage/, version: 3 })
})

t.test('one of two simultaneous undos is refused', async (t) => {
  const ids = await writeCards(await writeDeck(editor, source), 3)
  const { change_id } = (await bulk({ ids, change: { archived: true } })).body
  const responses = await Promise.all([undo(change_id), undo(change_id), undo(change_id)])
  t.strictSame(responses.map(({ status }) => status).sort(), [200, 409, 409])
})

t.test('changes more cards than one statement covers, and undoes the change', async (t) => {
  const slug = await writeDeck(editor, source)
  await sql`
    with created as (
      insert into cards (deck_id, question, answer, sort_order)
      select decks.id, 'Frage ' || number, 'Antwort ' || number, number from decks, generate_series(1, 1001) as number
      where slug = ${slug} returning id, deck_id
    )
    insert into imported_cards (card_id, deck_id, key) select id, deck_id, 'k-' || id from created`.execute(db)
  const change = { archived: true, replace: { find: 'Antwort', with: 'Lösung' } }
  const { body } = await bulk({ filter: { deck: slug }, change })
  t.match(body, { changed: 1_001, hits: 1_001 })
  t.equal((await editor.get(`${CARDS}?deck=${slug}`)).body.cards.length, 0)
  t.strictSame((await undo(body.change_id)).body, { undone: 1_001, skipped: [] })
  t.match((await editor.get(`${CARDS}?deck=${slug}&limit=2`)).body.cards, [
    { answer: 'Antwort 1', version: 3 },
    { answer: 'Antwort 2' },
  ])
})

t.test('find and replace reports the hits before and after the change', async (t) => {
  const deck = await writeDeck(editor, source)
  const card = await writeCard(editor, deck, {
    question: 'Was ist der Master?',
    answer: 'Der Masterbranch; MASTER',
    options: [{ text: 'master', correct: false }],
  })
  await writeCard(editor, deck, { question: 'Anders', answer: 'Anders' })
  const replace = { find: 'master', with: 'main', whole_word: true }
  const filter = { deck }
  const check = (await bulk({ filter, change: { replace }, check: true })).body
  t.match(check, { change_id: null, changed: 1, hits: 3 })
  t.match(check.examples, [
    {
      id: card.id,
      before: { question: 'Was ist der Master?' },
      after: { question: 'Was ist der main?', answer: 'Der Masterbranch; main', options: [{ text: 'main' }] },
    },
  ])
  t.match(await read(card.id), { version: 1 }, 'a check writes nothing')
  const done = (await bulk({ filter, change: { replace } })).body
  t.strictSame({ ...done, change_id: null }, check)
  t.match(await read(card.id), { version: 2, question: 'Was ist der main?', options: [{ text: 'main' }] })
  const none = (await bulk({ filter, change: { replace } })).body
  t.strictSame(none, { change_id: null, changed: 0, hits: 0, examples: [] })
})

t.test('changes long texts as one entry and shows the first of them', async (t) => {
  const deck = await writeDeck(editor, source)
  const ids = await writeCards(deck, 6, { question: 'Wie?', answer: 'a'.repeat(60_000) })
  const change = { replace: { find: 'A', with: 'b' } }
  const changes = await countChanges()
  const { body } = await bulk({ filter: { deck }, change })
  t.match(body, { changed: 6, hits: 360_000 })
  t.strictSame(
    body.examples.map(({ id }: { id: number }) => id),
    ids.slice(0, 4),
  )
  t.equal(await countChanges(), changes + 1)
  const [entry] = (await admin.get('/api/content/changes')).body.changes
  t.match(entry, { id: body.change_id, summary: { cards: 6, find: 'A', with: 'b' }, items: 6 })
  t.strictSame((await undo(body.change_id)).body, { undone: 6, skipped: [] })
})

t.test('runs one change of an editor at a time, and refuses it if twenty wait', async (t) => {
  const ids = await writeCards(await writeDeck(editor, source), 1)
  const change = { replace: { find: 'x', with: 'y' } }
  const changes = Array.from({ length: 22 }, () =>
    changeInBulk(db, { id: editor.id, editable: 'all' }, { ids }, change, true),
  )
  const outcomes = await Promise.allSettled(changes)
  t.strictSame(
    outcomes.map(({ status }) => status),
    [...Array(21).fill('fulfilled'), 'rejected'],
  )
  t.match(outcomes.at(-1), { reason: new TooManyAttempts(2) })
})

t.test('writes nothing if one text would break a rule', async (t) => {
  const deck = await writeDeck(editor, source)
  const [a, b] = [
    await writeCard(editor, deck, { question: 'weg und da' }),
    await writeCard(editor, deck, { answer: 'weg' }),
  ]
  const refused = await bulk({ ids: [a.id, b.id], change: { replace: { find: 'weg', with: '' } } })
  t.strictSame(refused.body, errorBody(400, `Karte ${b.id}: Die Antwort darf nicht leer sein`))
  t.match(await read(a.id), { version: 1 })
  const swell = { replace: { find: 'wort', with: 'wort'.repeat(2_500) } }
  const long = await writeCard(editor, deck, { answer: 'Wort '.repeat(20) })
  t.strictSame(
    (await bulk({ ids: [long.id], change: swell })).body,
    errorBody(400, `Karte ${long.id}: Nach dem Ersetzen hätte ein Text mehr als 65.536 Zeichen`),
  )
})

t.test('bulk changes by filter restore and publish the matching cards', async (t) => {
  const deck = await writeDeck(editor, source)
  const ids = await writeCards(deck, 3, { draft: true, level: 'x' })
  const [last] = await writeCards(deck, 1)
  t.match((await bulk({ filter: { deck, state: 'draft' }, change: { draft: false } })).body, { changed: 3 })
  t.match((await bulk({ filter: { deck, level: 'x' }, change: { archived: true } })).body, { changed: 3 })
  for (const id of ids) t.match(await read(id), { draft: false, archived_at: String })
  t.match(await read(last as number), { archived_at: null })
  t.match((await bulk({ filter: { deck, state: 'archived' }, change: { archived: false } })).body, { changed: 3 })
})

t.test('refuses cards that the caller may not edit', async (t) => {
  const other = await createSource(db)
  const stranger = await createEditor(service, other)
  const foreign = await writeCard(stranger, await writeDeck(stranger, other))
  const own = await writeCard(editor, await writeDeck(editor, source))
  const change = { level: 'neu' }
  t.equal((await bulk({ ids: [own.id, foreign.id], change })).status, 403)
  t.equal((await bulk({ ids: [own.id, 2 ** 31], change })).status, 404)
  t.equal((await bulk({ filter: { deck: foreign.deck.slug }, change })).status, 403)
  t.equal((await bulk({ ids: [own.id], change: { deck: foreign.deck.slug } })).status, 403)
  t.equal((await bulk({ ids: [own.id], change }, await service.member())).status, 403)
  const both = await bulk({ ids: [own.id, foreign.id], change }, admin)
  t.equal(both.headers['x-error-code'], 'one_source_only')
  const file = await createCard(db, { deck_id: (await createDeck(db)).id })
  t.equal((await bulk({ ids: [file.id], change }, admin)).headers['x-error-code'], 'not_editable')
  t.equal((await bulk({ change })).status, 400)
  t.equal((await bulk({ ids: [own.id], change: {} })).status, 400)
  t.equal((await bulk({ ids: Array.from({ length: 1_001 }, (_, id) => id), change })).status, 400)
  t.match(await read(own.id), { version: 1, level: 'basis' })

  const { change_id } = (await bulk({ ids: [own.id], change })).body
  t.equal((await undo(change_id, stranger)).status, 403)
  t.equal((await undo(9_999_999)).status, 404)
})

t.test('a creation cannot be undone', async (t) => {
  const card = await writeCard(editor, await writeDeck(editor, source))
  const { change_id } = await db
    .selectFrom('content_change_items')
    .select('change_id')
    .where('card_id', '=', card.id)
    .executeTakeFirstOrThrow()
  t.equal((await undo(change_id)).headers['x-error-code'], 'not_undoable')
})

t.test('resets the progress of all learners of a card, with an audit entry', async (t) => {
  const card = await writeCard(editor, await writeDeck(editor, source))
  const [one, two] = [await service.member(), await service.member()]
  await one.post('/api/review', { card_id: card.id, rating: 'medium' })
  await createProgress(db, { user_id: two.id, card_id: card.id, last_rating: 'easy' })
  const reset = () => editor.post(`${CARDS}/${card.id}/reset-progress`)
  t.strictSame((await reset()).body, { learners: 2 })
  t.match((await one.get(`/api/review/cards/${card.id}`)).body.card, { state: 'new', progress: null })
  t.strictSame((await reset()).body, { learners: 0 })
  const [entry, former] = (await admin.get('/api/accounts/audit?action=card.reset')).body.entries
  t.match(entry, { actor_id: editor.id, target_id: card.id, target: card.deck.slug, details: { learners: 2 } })
  t.equal(former, undefined, 'no audit entry if there is nothing to reset')
  const log = await db.selectFrom('review_log').selectAll().where('card_id', '=', card.id).orderBy('id').execute()
  t.match(log.at(-1), { kind: 'reset', after: null })
  t.equal((await one.post('/api/review', { card_id: card.id, rating: 'easy' })).status, 200)
})

t.test('only administrators purge a card, with all its versions', async (t) => {
  const card = await writeCard(editor, await writeDeck(editor, source))
  await editor.patch(`${CARDS}/${card.id}`, { version: 1, question: unique('privat') })
  t.equal((await editor.delete(`${CARDS}/${card.id}`)).status, 403)
  t.strictSame((await admin.delete(`${CARDS}/${card.id}`)).body, { ok: true })
  t.equal((await admin.delete(`${CARDS}/${card.id}`)).status, 404)
  t.strictSame(await db.selectFrom('card_versions').selectAll().where('card_id', '=', card.id).execute(), [])
  const [entry] = (await admin.get('/api/accounts/audit?action=card.purge')).body.entries
  t.match(entry, { target_id: card.id, details: { versions: 2 } })
})
