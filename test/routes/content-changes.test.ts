import t from 'tap'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { startService } from '../support/service.js'
import { until } from '../support/until.js'

const service = await startService(t)
const { db, app } = service
const source = await createSource(db)
const editor = await createEditor(service, source)
const CARDS = '/api/content/cards'

t.test('lists the changes of a source, newest first', async (t) => {
  const own = await createSource(db)
  const [author, second] = [await createEditor(service, own, source), await createEditor(service, own)]
  const deck = await writeDeck(author, own)
  const card = await writeCard(author, deck, { question: 'Was macht `git stash`?' })
  await second.patch(`${CARDS}/${card.id}`, { version: 1, question: 'Was macht **git stash**?' })
  const other = await writeCard(author, deck)
  const { change_id } = (
    await author.post(`${CARDS}/bulk`, { ids: [card.id, other.id], change: { level: 'neu', draft: true } })
  ).body
  await author.post(`/api/content/changes/${change_id}/undo`)
  const sheet = { source_id: own, title: 'Git Log', category: 'Git', content_md: '# Log', client_id: unique('c') }
  t.equal((await author.post('/api/content/sheets', sheet)).status, 200)

  const list = async (query = '') => (await author.get(`/api/content/sources/${own}/changes${query}`)).body
  const { changes, next_before } = await list()
  t.equal(next_before, null)
  const title = 'Was macht git stash?'
  const deckName = { slug: deck, name: card.deck.name }
  t.match(changes, [
    { how: 'create', kind: 'sheet', sheet_slug: String, title: 'Git Log', card_id: null, deck: null, can_undo: false },
    { how: 'undo', by: author.username, kind: null, items: 2, undoes: change_id, can_undo: true },
    {
      id: change_id,
      how: 'bulk',
      kind: null,
      items: 2,
      title: null,
      can_undo: false,
      undone_by: changes[1].id,
      summary: { cards: 2, level: 'neu', draft: true },
    },
    { how: 'create', kind: 'card', card_id: other.id, items: 1, can_undo: false, source: { id: own, kind: 'written' } },
    { how: 'edit', by: second.username, kind: 'card', card_id: card.id, title, deck: deckName, can_undo: true },
    { how: 'create', by: author.username, kind: 'card', card_id: card.id, title, deck: deckName },
  ])
  t.equal(changes.length, 6)
  t.match((await list(`?by=${second.username}`)).changes, [{ how: 'edit' }])
  t.match(await list('?limit=2'), { next_before: changes[1].id })
  t.strictSame((await list(`?limit=4&before=${changes[1].id}`)).changes, changes.slice(2))

  await writeCard(editor, await writeDeck(editor, source))
  const all = (await author.get('/api/content/changes')).body.changes
  t.match(all[0], { how: 'create', source: { id: source } }, 'changes of all sources that the caller edits')
  t.strictSame((await second.get('/api/content/changes')).body.changes, changes, 'no changes of other sources')
  t.equal((await editor.get('/api/content/sources/99999/changes')).status, 404)
})

t.test('a long page is the same as short ones', async (t) => {
  const own = await createSource(db)
  const author = await createEditor(service, own)
  const deck = await writeDeck(author, own)
  for (let number = 1; number <= 60; number++) await writeCard(author, deck, { question: `Was ist **${number}**?` })
  for (const path of ['/api/content/changes', `/api/content/sources/${own}/changes`]) {
    const { changes, next_after } = (await author.get(`${path}?limit=200`)).body
    t.equal(next_after, null)
    t.strictSame(
      changes.map(({ title }: { title: string }) => title),
      Array.from({ length: 60 }, (_, index) => `Was ist ${60 - index}?`),
    )
    const pages = []
    for (let after = ''; after !== 'null'; ) {
      const { body } = await author.get(`${path}?limit=25&after=${after}`)
      pages.push(...body.changes)
      after = String(body.next_after)
    }
    t.strictSame(changes, pages)
  }
})

t.test('hides the text of a card that has moved to a source of others', async (t) => {
  const [shared, secret] = [await createSource(db), await createSource(db)]
  const [author, second] = [await createEditor(service, shared, secret), await createEditor(service, shared)]
  const card = await writeCard(author, await writeDeck(author, shared))
  const deck = await writeDeck(author, secret)
  await author.patch(`${CARDS}/${card.id}`, { version: 1, question: 'Geheim?', deck })
  const list = async (caller: typeof author) =>
    (await caller.get(`/api/content/sources/${shared}/changes`)).body.changes
  const hidden = { kind: null, card_id: null, title: null, deck: null, items: 1 }
  t.match(await list(second), [
    { how: 'edit', ...hidden },
    { how: 'create', ...hidden },
  ])
  t.match(await list(author), [{ how: 'edit', card_id: card.id, title: 'Geheim?', deck: { slug: deck } }])
})

t.test('finds equal and similar questions in the sources that the caller edits', async (t) => {
  const deck = await writeDeck(editor, source)
  const same = await writeCard(editor, deck, { question: 'Wann muss eine Datenpanne gemeldet werden?', draft: true })
  const similar = await writeCard(editor, deck, { question: 'Wem muss eine Datenpanne gemeldet werden, und wie?' })
  await writeCard(editor, deck, { question: 'Was ist eine Datenpanne?' })
  const archived = await writeCard(editor, deck, { question: 'Wann muss eine Datenpanne gemeldet werden?' })
  await editor.patch(`${CARDS}/${archived.id}`, { archived: true })
  const gone = await writeDeck(editor, source)
  await writeCard(editor, gone, { question: 'Wann muss eine Datenpanne gemeldet werden?' })
  await editor.patch(`/api/content/decks/${gone}`, { archived: true })
  await until(() => app.updateSearchIndex())
  const find = async (question: string, caller = editor, more = '') =>
    (await caller.get(`${CARDS}/similar?question=${encodeURIComponent(question)}${more}`)).body.cards
  const question = 'wann muss eine **Datenpanne** gemeldet werden'
  t.match(await find(question), [
    { id: same.id, same: true, deck: { slug: deck } },
    { id: similar.id, same: false },
  ])
  t.match(await find(question, editor, `&except=${same.id}`), [{ id: similar.id }])
  t.strictSame(await find('Etwas ganz anderes, ohne Treffer'), [])
  t.strictSame(await find(''), [])
  const stranger = await createEditor(service, await createSource(db))
  t.strictSame(await find(question, stranger), [])
})
