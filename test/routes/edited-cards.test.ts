import t from 'tap'
import { listEditedCards } from '../../db/queries/content/editing/cards.js'
import { NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { SOURCE_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { placeBefore } from '../../src/services/content/editing/cards.js'
import { createDeck as createDeckOf } from '../../src/services/content/editing/decks.js'
import { copyCard, createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { createCard, createDeck, createProgress, unique } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'
import { until } from '../support/until.js'

const service = await startService(t)
const { db } = service
const source = await createSource(db)
const editor = await createEditor(service, source)
const admin = await service.admin()

const CARDS = '/api/content/cards'
const versionsOf = async (id: number) =>
  (await db.selectFrom('card_versions').selectAll().where('card_id', '=', id).orderBy('version').execute()).length
const changesOf = async (id: number) =>
  (await db.selectFrom('content_change_items').selectAll().where('card_id', '=', id).orderBy('id').execute()).length

t.test('creates a card once per client id and reads it back', async (t) => {
  const deck = await writeDeck(editor, source, { name: 'Git für alle' })
  const body = {
    deck,
    question: '  Was macht `git stash`?\r\n',
    answer: 'Legt beiseite.',
    level: ' basis ',
    client_id: unique('client'),
  }
  const { status, body: answer } = await editor.post(CARDS, body)
  t.equal(status, 200)
  t.match(answer.card, {
    id: Number,
    deck: { slug: deck, name: 'Git für alle' },
    question: 'Was macht `git stash`?',
    answer: 'Legt beiseite.',
    level: 'basis',
    options: { length: 0 },
    form: null,
    version: 1,
    draft: false,
    archived_at: null,
    changed_here: false,
    source: { id: source, kind: 'written' },
    file: null,
    line: null,
    learners: 0,
  })
  const { id } = answer.card
  const repeated = await Promise.all([1, 2, 3].map(() => editor.post(CARDS, body)))
  for (const one of repeated) t.strictSame(one.body, answer)
  await editor.patch(`${CARDS}/${id}`, { version: 1, answer: 'Neu' })
  t.match((await editor.post(CARDS, body)).body.card, { id, version: 2, answer: 'Neu' })
  t.strictSame((await editor.get(`${CARDS}/${id}`)).body, (await editor.post(CARDS, body)).body)
  const stored = await db.selectFrom('imported_cards').selectAll().where('card_id', '=', id).executeTakeFirstOrThrow()
  t.match(stored, { key: 'was-macht-git-stash', draft: false, edited: false })
})

t.test('a client id of another source is refused', async (t) => {
  const deck = await writeDeck(editor, source)
  const other = await createSource(db)
  const stranger = await createEditor(service, other)
  const own = await writeDeck(stranger, other)
  const client_id = unique('client')
  await writeCard(editor, deck, { client_id })
  const body = { deck: own, question: 'F', answer: 'A', client_id }
  const refused = await stranger.post(CARDS, body)
  t.strictSame(refused.body, errorBody(409, 'Diese „client_id“ ist schon vergeben'))
  t.equal(refused.headers['x-error-code'], 'client_id_taken')
})

t.test('saves a text only with its current version', async (t) => {
  const card = await writeCard(editor, await writeDeck(editor, source))
  const saved = await editor.patch(`${CARDS}/${card.id}`, { version: 1, question: 'Neu?', options: null })
  t.match(saved.body.card, { version: 2, question: 'Neu?', answer: card.answer, changed_here: false })
  const outdated = await editor.patch(`${CARDS}/${card.id}`, { version: 1, question: 'Anders?' })
  t.strictSame(outdated.body, errorBody(409, 'Inzwischen geändert'))
  t.equal(outdated.headers['x-error-code'], 'version_outdated')
  t.strictSame((await editor.get(`${CARDS}/${card.id}`)).body, saved.body, 'the refused save writes nothing')
  t.strictSame(
    (await editor.patch(`${CARDS}/${card.id}`, { question: 'Anders?' })).body,
    errorBody(400, 'Das Feld „version“ fehlt'),
  )
  const [versions, changes] = [await versionsOf(card.id), await changesOf(card.id)]
  t.strictSame([versions, changes], [1, 2])
  t.match((await editor.patch(`${CARDS}/${card.id}`, { version: 2, question: ' Neu?\n' })).body.card, { version: 2 })
  t.strictSame(
    [await versionsOf(card.id), await changesOf(card.id)],
    [versions, changes],
    'a save of the same text creates no version',
  )
})

t.test('refuses texts that the file format cannot express', async (t) => {
  const deck = await writeDeck(editor, source)
  const refuse = async (body: object, message: string | RegExp) => {
    const response = await editor.post(CARDS, { deck, question: 'F', answer: 'A', client_id: unique('c'), ...body })
    t.equal(response.status, 400)
    t.match(response.body.message, message)
  }
  await refuse({ question: ' \n' }, 'Das Feld „question“ darf nicht leer sein')
  await refuse({ answer: '' }, 'Das Feld „answer“ darf nicht leer sein')
  await refuse({ answer: 'x'.repeat(65_537) }, 'Das Feld „answer“ darf höchstens 65.536 Zeichen haben')
  await refuse(
    { level: 'a\tb' },
    'Das Feld „level“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten',
  )
  await refuse({ question: 'a\0b' }, 'Das Feld „question“ enthält unzulässige Zeichen')
  await refuse({ options: [{ text: 'a', correct: true }] }, /ist keine falsche/)
  await refuse({ form: 'number', answer: '1.000' }, '„1.000“ ist mehrdeutig: 1000 oder 1,000?')
  await refuse({ tolerance: 1 }, /nur mit „form: number“/)
  t.equal((await editor.get(`${CARDS}?deck=${deck}`)).body.cards.length, 0)
})

t.test('stores options, forms and their settings', async (t) => {
  const deck = await writeDeck(editor, source)
  const options = [
    { text: '72 Stunden', correct: true, feedback: null },
    { text: '24 Stunden', correct: false, feedback: 'Das gilt für NIS-2.' },
  ]
  const card = await writeCard(editor, deck, { options })
  t.match(card, { form: 'choice', options })
  const edit = (version: number, body: object) => editor.patch(`${CARDS}/${card.id}`, { version, ...body })
  t.match((await edit(1, { question: 'Wann?' })).body.card, { version: 2, options })
  t.match((await edit(2, { options: [] })).body.card, { version: 3, form: null, options: { length: 0 } })
  t.match((await edit(3, { form: 'number', answer: '72', tolerance: 0.5, unit: 'h' })).body.card, {
    version: 4,
    form: 'number',
    tolerance: 0.5,
    unit: 'h',
  })
  t.match((await edit(4, { answer: 'keine Zahl' })).status, 400, 'the answer must fit the form')
  t.match((await edit(4, { form: null })).body.card, { version: 5, form: null, tolerance: null, unit: null })
})

t.test('reports the weaknesses of a choice in the response for a single card', async (t) => {
  const wrong = { text: 'Zweites', correct: false }
  const written = await writeCard(editor, await writeDeck(editor, source), { options: [wrong] })
  const { body: read } = await editor.get(`${CARDS}/${written.id}`)
  for (const { findings } of [written, read.card]) t.match(findings, [{ rule: 'few-options', message: /^Nur 2 / }])
  const options = [wrong, { text: 'Drittes', correct: false }]
  const { body: saved } = await editor.patch(`${CARDS}/${written.id}`, { version: 1, options })
  t.strictSame(saved.card.findings, [])
})

t.test('drafts, archives and restores without a version', async (t) => {
  const member = await service.member()
  const deck = await writeDeck(editor, source)
  const card = await writeCard(editor, deck)
  await member.post('/api/review', { card_id: card.id, rating: 'medium' })
  const set = async (body: object) => (await editor.patch(`${CARDS}/${card.id}`, body)).body.card
  const isVisible = async () => (await member.get(`/api/decks/${deck}`)).body.deck.card_count === 1
  t.match(await set({ draft: true }), { draft: true, archived_at: null, version: 1, learners: 1 })
  t.notOk(await isVisible())
  t.match(await set({ archived: true }), { draft: true, archived_at: String, version: 1 })
  t.match(await set({ draft: false }), { draft: false, archived_at: String })
  t.notOk(await isVisible())
  t.match(await set({ archived: false }), { draft: false, archived_at: null, version: 1 })
  t.ok(await isVisible())
  t.match((await member.get(`/api/review/cards/${card.id}`)).body.card, { state: 'learned' }, 'progress is kept')
  t.equal(await versionsOf(card.id), 0)
})

t.test('moves a card to another deck with its progress', async (t) => {
  const member = await service.member()
  const [from, to] = [await writeDeck(editor, source), await writeDeck(editor, source)]
  const last = await writeCard(editor, to, { question: 'Gleiche Frage?' })
  const card = await writeCard(editor, from, { question: 'Gleiche Frage?' })
  await member.post('/api/review', { card_id: card.id, rating: 'easy' })
  const { body } = await editor.patch(`${CARDS}/${card.id}`, { deck: to })
  t.match(body.card, { deck: { slug: to }, version: 1, learners: 1 })
  const listed = (await editor.get(`${CARDS}?deck=${to}`)).body.cards.map(({ id }: { id: number }) => id)
  t.strictSame(listed, [last.id, card.id])
  const keys = await db.selectFrom('imported_cards').select('key').where('card_id', 'in', [last.id, card.id]).execute()
  t.equal(new Set(keys.map(({ key }) => key)).size, 2)
  t.match((await member.get(`/api/review/cards?deck=${to}&state=learned`)).body.cards, [{ card_id: card.id }])
})

t.test('a move needs the right on the target', async (t) => {
  const card = await writeCard(editor, await writeDeck(editor, source))
  const other = await createSource(db)
  const foreign = await writeDeck(await createEditor(service, other), other)
  t.equal((await editor.patch(`${CARDS}/${card.id}`, { deck: foreign })).status, 403)
  t.strictSame(
    (await editor.patch(`${CARDS}/${card.id}`, { deck: 'nicht-da' })).body,
    errorBody(404, 'Deck nicht gefunden'),
  )
  const folder = await createDeck(db)
  t.match((await admin.patch(`${CARDS}/${card.id}`, { deck: folder.slug })).body, { statusCode: 409 })
  const moved = await admin.patch(`${CARDS}/${card.id}`, { deck: foreign })
  t.match(moved.body.card.source, { id: other })
  t.equal((await editor.get(`${CARDS}/${card.id}`)).status, 403, 'the right ends with the move')
})

t.test('orders the cards of a deck without versions', async (t) => {
  const deck = await writeDeck(editor, source)
  const [a, b, c, d] = [
    ...[await writeCard(editor, deck), await writeCard(editor, deck)],
    ...[await writeCard(editor, deck, { draft: true }), await writeCard(editor, deck)],
  ].map(({ id }) => id as number)
  const order = async () => (await editor.get(`${CARDS}?deck=${deck}`)).body.cards.map(({ id }: { id: number }) => id)
  t.strictSame(await order(), [a, b, c, d])
  const move = (id: number | undefined, before: number | null | undefined) =>
    editor.post(`${CARDS}/${id}/move`, { before })
  await move(d, b)
  t.strictSame(await order(), [a, d, b, c])
  await move(a, null)
  t.strictSame(await order(), [d, b, c, a])
  t.strictSame((await move(c, c)).body, { ok: true })
  await move(c, d)
  t.strictSame(await order(), [c, d, b, a])
  const foreign = await writeCard(editor, await writeDeck(editor, source))
  t.equal((await move(a, foreign.id)).status, 400)
  // Simulates that the card moves to another source between the headers and the body of a request.
  await t.rejects(placeBefore(db, { id: editor.id, editable: new Set() }, a as number, null), NOT_AN_EDITOR)
  t.strictSame(await order(), [c, d, b, a])
  t.equal(await versionsOf(a as number), 0)
})

t.test('a moved card stands at its new place, whatever the previous order', async (t) => {
  const deck = await writeDeck(editor, source)
  const order: number[] = []
  for (let card = 0; card < 6; card++) order.push((await writeCard(editor, deck, { draft: card % 3 === 1 })).id)
  const stored = async () => {
    const { body } = await editor.get(`${CARDS}?deck=${deck}`)
    return body.cards.map(({ id }: { id: number }) => id)
  }
  const place = async (id: number, before: number | null) => {
    t.strictSame((await editor.post(`${CARDS}/${id}/move`, { before })).body, { ok: true })
    order.splice(order.indexOf(id), 1)
    order.splice(before === null ? order.length : order.indexOf(before), 0, id)
    t.strictSame(await stored(), order)
  }
  const numberAll = (sort_order: number) =>
    db.updateTable('cards').set({ sort_order }).where('id', 'in', order).execute()
  // There are more moves to one place than free order numbers at that place, so the service must renumber cards.
  for (let turn = 0; turn < 24; turn++) await place(order[0] as number, order[3] as number)
  for (let turn = 0; turn < 3; turn++) await place(order[5] as number, order[0] as number)
  for (const sort_order of [-(2 ** 31), 0, 2 ** 31 - 1]) {
    await numberAll(sort_order)
    order.sort((a, b) => a - b)
    await place(order[2] as number, null)
    await numberAll(sort_order)
    order.sort((a, b) => a - b)
    await place(order[5] as number, order[0] as number)
    await place(order[2] as number, order[4] as number)
  }
  const alone = await writeDeck(editor, source)
  const only = await writeCard(editor, alone)
  t.strictSame((await editor.post(`${CARDS}/${only.id}/move`, { before: null })).body, { ok: true })
})

t.test('refuses a deck for a source that was deleted after the authorization', async (t) => {
  await t.rejects(createDeckOf(db, { source_id: 999_999, name: unique('Deck') }), SOURCE_NOT_FOUND.at('source_id'))
})

t.test('lists a deck in pages with its filters', async (t) => {
  const deck = await writeDeck(editor, source)
  const ids: number[] = []
  for (let number = 0; number < 7; number++) {
    const card = await writeCard(editor, deck, {
      question: `Frage ÄPFEL ${number}`,
      level: number < 2 ? 'eins' : 'zwei',
      draft: number === 3,
      options:
        number === 4
          ? [
              { text: 'Ja', correct: true, feedback: null },
              { text: 'Nein', correct: false },
            ]
          : [],
    })
    ids.push(card.id)
  }
  await editor.patch(`${CARDS}/${ids[5]}`, { archived: true })
  const list = async (query: string) => (await editor.get(`${CARDS}?deck=${deck}${query}`)).body
  const idsOf = async (query: string) => (await list(query)).cards.map(({ id }: { id: number }) => ids.indexOf(id))
  t.strictSame(await idsOf(''), [0, 1, 2, 3, 4, 6])
  t.strictSame(await idsOf('&state=draft'), [3])
  t.strictSame(await idsOf('&state=archived'), [5])
  t.strictSame(await idsOf('&state=all'), [0, 1, 2, 3, 4, 5, 6])
  t.strictSame(await idsOf('&level=eins'), [0, 1])
  t.strictSame(await idsOf(`&q=${encodeURIComponent('äpfel 4')}`), [4])
  t.strictSame(await idsOf('&questions=true'), [4])
  const tooLong = await editor.get(`${CARDS}?deck=${deck}&q=${'x'.repeat(201)}`)
  t.match(tooLong, { status: 400, headers: { 'x-error-field': 'q', 'x-error-details': '{"maximum":200}' } })
  const seen: number[] = []
  for (let after = ''; ; ) {
    const page = await list(`&state=all&limit=3&after=${after}`)
    seen.push(...page.cards.map(({ id }: { id: number }) => ids.indexOf(id)))
    if (page.next_after === null) break
    after = page.next_after
  }
  t.strictSame(seen, [0, 1, 2, 3, 4, 5, 6])
  t.strictSame((await editor.get(CARDS)).body, errorBody(400, 'Der Parameter „deck“ fehlt'))
  t.equal((await editor.get(`${CARDS}?deck=${deck}&after=999999`)).status, 400)
})

t.test(
  'a page of several statements has all cards in order, also after a card that was deleted meanwhile',
  async (t) => {
    const deck = await writeDeck(editor, source)
    const { id: first } = await writeCard(editor, deck)
    const questions = Array.from({ length: 209 }, (_, index) => `Frage ${index}`)
    const cards = [first, ...(await copyCard(db, first, questions))]
    // The order of the deck is not that of the ids.
    await editor.post(`${CARDS}/${cards[205]}/move`, { before: cards[3] })
    const list = async (query: string) => (await editor.get(`${CARDS}?deck=${deck}${query}`)).body
    const { cards: page, next_after } = await list('&limit=200')
    const rest = await list(`&limit=200&after=${next_after}`)
    t.strictSame(
      [...page, ...rest.cards].map(({ id }: { id: number }) => id),
      cards.toSpliced(205, 1).toSpliced(3, 0, cards[205]),
    )
    const pages = []
    for (let after = ''; after !== 'null'; ) {
      const short = await list(`&limit=30&after=${after}`)
      pages.push(...short.cards)
      after = String(short.next_after)
    }
    t.strictSame([...page, ...rest.cards], pages)

    const { sort_order, id } = await db
      .deleteFrom('cards')
      .where('id', '=', page[99].id)
      .returning(['id', 'sort_order'])
      .executeTakeFirstOrThrow()
    const found = await listEditedCards(db, deck, { state: 'live' }, { sort_order, id }, 100)
    t.strictSame(
      found.map((card) => card.id),
      page.slice(100).map((card: { id: number }) => card.id),
    )
  },
)

t.test('cards of the folder are read-only, also for administrators', async (t) => {
  const deck = await createDeck(db)
  const card = await createCard(db, { deck_id: deck.id })
  await db.insertInto('imported_decks').values({ deck_id: deck.id, file: 'decks/weg.md' }).execute()
  t.match((await admin.get(`${CARDS}/${card.id}`)).body.card, { source: null, version: 1 })
  const message =
    'Der Inhalt steht in der Datei decks/weg.md und wird dort geändert; Administratoren können ihn in eine Quelle übernehmen'
  const refused = [
    await admin.patch(`${CARDS}/${card.id}`, { version: 1, question: 'Neu?' }),
    await admin.post(`${CARDS}/${card.id}/move`, { before: null }),
    await admin.post(CARDS, { deck: deck.slug, question: 'F', answer: 'A', client_id: unique('c') }),
    await admin.patch(`/api/content/decks/${deck.slug}`, { name: 'Neu' }),
  ]
  for (const { body } of refused) t.strictSame(body, errorBody(409, message))
  t.equal((await editor.get(`${CARDS}/${card.id}`)).status, 403)
  t.equal((await (await service.member()).get(`${CARDS}/${card.id}`)).status, 403)
  t.equal((await editor.get(`${CARDS}/99999999`)).status, 404)
})

t.test('a change in an uploaded source is marked', async (t) => {
  const uploaded = await createSource(db, { kind: 'anki' })
  const other = await createEditor(service, uploaded)
  const card = await writeCard(other, await writeDeck(other, uploaded))
  t.equal(card.changed_here, false)
  t.match((await other.patch(`${CARDS}/${card.id}`, { draft: true })).body.card, { changed_here: false })
  t.match((await other.patch(`${CARDS}/${card.id}`, { version: 1, level: 'neu' })).body.card, { changed_here: true })
})

t.test('a card that is changed and moved to a written source is not marked', async (t) => {
  const uploaded = await createSource(db, { kind: 'anki' })
  const other = await createEditor(service, uploaded)
  await db.insertInto('source_editors').values({ source_id: source, user_id: other.id }).execute()
  const card = await writeCard(other, await writeDeck(other, uploaded))
  const change = { version: 1, answer: 'Neu', deck: await writeDeck(editor, source) }
  const { body } = await other.patch(`${CARDS}/${card.id}`, change)
  t.match(body.card, { answer: 'Neu', source: { id: source, kind: 'written' }, changed_here: false })
})

t.test('decks are created, renamed, ordered, archived and restored', async (t) => {
  const own = await createSource(db)
  const author = await createEditor(service, own)
  const name = `Überblick ${unique('x')}`
  const created = await author.post('/api/content/decks', { source_id: own, name: ` ${name} `, description: 'Kurz' })
  const { slug } = created.body.deck
  t.match(created.body.deck, {
    name,
    description: 'Kurz',
    archived_at: null,
    tests_only: false,
    cards: 0,
    drafts: 0,
    source: { id: own, kind: 'written' },
  })
  const second = await author.post('/api/content/decks', { source_id: own, name })
  t.equal(second.body.deck.slug, `${slug}-2`)
  t.ok(second.body.deck.sort_order > created.body.deck.sort_order)
  await writeCard(author, slug)
  await writeCard(author, slug, { draft: true })
  const edit = async (body: object) => (await author.patch(`/api/content/decks/${slug}`, body)).body.deck
  t.match(await edit({ name: 'Neu', sort_order: -5 }), { slug, name: 'Neu', sort_order: -5, cards: 1, drafts: 1 })
  const member = await service.member()
  t.equal((await member.get(`/api/decks/${slug}`)).status, 200)
  t.match(await edit({ archived: true }), { archived_at: String })
  t.equal((await member.get(`/api/decks/${slug}`)).status, 404)
  t.match(await edit({ archived: false }), { archived_at: null, cards: 1 })
  t.equal((await member.get(`/api/decks/${slug}`)).body.deck.card_count, 1)
  t.strictSame(
    (await author.get(`/api/content/decks?source=${own}`)).body.decks.map((deck: { slug: string }) => deck.slug),
    [slug, `${slug}-2`],
  )
  t.equal((await author.get(`/api/content/decks?source=${source}`)).body.decks.length, 0)
  t.equal((await author.post('/api/content/decks', { source_id: source, name })).status, 403)
  t.equal((await author.post('/api/content/decks', { source_id: 999_999, name })).status, 404)
  t.equal((await author.patch(`/api/content/decks/${slug}`, { name: ' ' })).status, 400)
})

t.test('a deck has a language and a default retention for its learners', async (t) => {
  const own = await createSource(db)
  const author = await createEditor(service, own)
  const plain = await author.post('/api/content/decks', { source_id: own, name: unique('Deck') })
  t.match(plain.body.deck, { lang: 'de', desired_retention: null })
  const created = await author.post('/api/content/decks', {
    source_id: own,
    name: unique('Deck'),
    lang: 'en',
    desired_retention: 0.95,
  })
  const { slug } = created.body.deck
  t.match(created.body.deck, { lang: 'en', desired_retention: 0.95 })
  const card = await writeCard(author, slug)
  const member = await service.member()
  const seen = async () => {
    const [wish, queue] = [await member.get('/api/review/decks'), await member.get(`/api/review/queue?deck=${slug}`)]
    const [first] = queue.body.cards
    return {
      usual: wish.body.decks.find((deck: { slug: string }) => deck.slug === slug).default_retention,
      lang: first.deck.lang,
      easy: first.next_review.easy,
    }
  }
  const strict = await seen()
  t.match(strict, { usual: 0.95, lang: 'en' })
  const edit = (body: object) => author.patch(`/api/content/decks/${slug}`, body)
  t.match((await edit({ desired_retention: 0.8, lang: ' de-CH ' })).body.deck, {
    desired_retention: 0.8,
    lang: 'de-CH',
  })
  const loose = await seen()
  t.match(loose, { usual: 0.8, lang: 'de-CH' })
  t.ok(strict.easy < loose.easy, `${strict.easy} is before ${loose.easy}`)
  t.match((await member.get(`/api/review/cards/${card.id}`)).body.card.deck, { lang: 'de-CH' })
  t.match((await edit({ name: 'Neu' })).body.deck, { desired_retention: 0.8, lang: 'de-CH' }, 'both settings stay')
  t.match((await edit({ desired_retention: null })).body.deck, { desired_retention: null, lang: 'de-CH' })
  t.equal((await seen()).usual, null)
  const listed = (await author.get(`/api/content/decks?source=${own}`)).body.decks
  t.match(
    listed.find((deck: { slug: string }) => deck.slug === slug),
    { lang: 'de-CH', desired_retention: null },
  )
  for (const wrong of [0.79, 0.98, '0,9']) t.equal((await edit({ desired_retention: wrong })).status, 400, `${wrong}`)
  for (const wrong of ['', 'Deutsch', 'x']) t.equal((await edit({ lang: wrong })).status, 400, wrong)
})

t.test('a deck becomes a pool only at its creation and stays hidden', async (t) => {
  const numbers = async () => {
    const { sources } = (await editor.get('/api/content/sources')).body
    const { decks, cards } = sources.find(({ id }: { id: number }) => id === source)
    const { archived_decks } = (await admin.get('/api/content/state')).body
    return { decks, cards, archived: archived_decks.map(({ slug }: { slug: string }) => slug).includes(pool) }
  }
  const pool = await writeDeck(editor, source, { tests_only: true })
  const { decks, cards } = await numbers()
  await writeCard(editor, pool)
  t.strictSame(await numbers(), { decks, cards: cards + 1, archived: false }, 'the list of its editors includes it')
  const edit = async (body: object) => (await editor.patch(`/api/content/decks/${pool}`, body)).body.deck
  const member = await service.member()
  t.match(await edit({ archived: true }), { tests_only: true, archived_at: String, cards: 1 })
  t.strictSame(await numbers(), { decks: decks - 1, cards, archived: true })
  t.match(await edit({ archived: false, tests_only: false }), { tests_only: true, archived_at: null })
  t.equal((await member.get(`/api/decks/${pool}`)).status, 404)
})

t.test('progress belongs to its learner only', async (t) => {
  const card = await writeCard(editor, await writeDeck(editor, source))
  const member = await service.member()
  await createProgress(db, { user_id: member.id, card_id: card.id, last_rating: 'easy' })
  const { body } = await editor.patch(`${CARDS}/${card.id}`, { version: 1, question: 'Neu?' })
  t.equal(body.card.learners, 1)
  t.match(await db.selectFrom('card_progress').selectAll().where('card_id', '=', card.id).execute(), [
    { last_rating: 'easy', user_id: member.id },
  ])
})

t.test('the search index follows a saved card by itself', async () => {
  const card = await writeCard(editor, await writeDeck(editor, source))
  const word = unique('zauberwort').replace('-', '')
  await editor.patch(`${CARDS}/${card.id}`, { version: 1, answer: word })
  const isIndexed = async () =>
    (await db
      .selectFrom('search_cards')
      .innerJoin('search_words', (join) =>
        join.on(({ eb, fn, ref }) => eb('search_words.id', '=', fn.any(ref('words')))),
      )
      .select('item_id')
      .where('word', '=', word)
      .executeTakeFirst()) !== undefined
  await until(isIndexed)
})
