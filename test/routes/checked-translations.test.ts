import t from 'tap'
import { changeFiles, writeContentFolder } from '../support/content.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { type Caller, startService } from '../support/service.js'
import { zipOf } from '../support/upload-packages.js'

const folder = await writeContentFolder(t, { 'decks/start.md': '---\nname: Start\n---\n' })
const service = await startService(t, { config: { contentDir: folder } })
const { db } = service
const admin = await service.admin()
const source = await createSource(db)
const editor = await createEditor(service, source)

const DECKS = '/api/content/decks'
const SHEETS = '/api/content/sheets'
const TESTS = '/api/content/tests'
const CARDS = '/api/content/cards'
const put = (url: string, payload: object) => editor.send({ method: 'PUT', url, payload })
const compare = async (url: string, caller: Caller = editor) =>
  (await caller.get(`${url}/translation`)).body.translation
const check = (url: string, original_version: unknown, caller: Caller = editor) =>
  caller.post(`${url}/checked`, { original_version })
const deckOf = async (slug: string) => {
  const { decks } = (await admin.get(DECKS)).body
  return decks.find((deck: { slug: string }) => deck.slug === slug)
}
const writeSheet = async (rest: object = {}) => {
  const body = { source_id: source, title: unique('Zettel'), category: 'Git', content_md: 'x', client_id: unique('id') }
  return (await editor.post(SHEETS, { ...body, ...rest })).body.sheet
}

t.test('a variant of a deck is outdated once a card of its original changes, until it is checked', async (t) => {
  const original = await writeDeck(editor, source)
  const [first, second] = [await writeCard(editor, original), await writeCard(editor, original)]
  const variant = await writeDeck(editor, source, { lang: 'en', translation_of: original })
  const url = `${DECKS}/${variant}`
  t.match(await deckOf(original), { translation_outdated: false, variants: [{ translation_outdated: false }] })
  t.match(await compare(url), { original: { slug: original, lang: 'de' }, translation_outdated: false, cards_total: 0 })
  t.same((await editor.post(`${url}/missing-cards`)).body, { copied: 2 })
  t.same((await editor.post(`${url}/missing-cards`)).body, { copied: 0 })
  const copies = (await editor.get(`${CARDS}?deck=${variant}`)).body.cards
  t.match(copies, [
    { question: first.question, draft: true, version: 1 },
    { question: second.question, draft: true },
  ])
  t.match(await compare(url), { translation_outdated: false })

  await editor.patch(`${CARDS}/${first.id}`, { version: 1, answer: 'Neu' })
  await editor.patch(`${CARDS}/${second.id}`, { archived: true })
  const third = await writeCard(editor, original)
  const draft = await writeCard(editor, original, { draft: true })
  t.match(await deckOf(original), { translation_outdated: false, variants: [{ translation_outdated: true }] })
  t.match(await deckOf(variant), { translation_outdated: true })
  const found = await compare(url)
  t.match(found, { translation_outdated: true, cards_total: 3 })
  t.strictSame(found.texts, [])
  t.match(found.cards, [
    {
      id: first.id,
      change: 'changed',
      variant_card_id: copies[0].id,
      before: { question: first.question, answer: first.answer },
      after: { answer: 'Neu' },
    },
    { id: second.id, change: 'removed', variant_card_id: copies[1].id, before: { answer: second.answer }, after: null },
    { id: third.id, change: 'added', variant_card_id: null, before: null, after: { question: third.question } },
  ])
  t.notOk(
    found.cards.some(({ id }: { id: number }) => id === draft.id),
    'drafts are not translated yet',
  )

  const stale = await check(url, '0123456789abcdef')
  t.equal(stale.status, 409)
  t.equal(stale.headers['x-error-field'], 'original_version')
  t.equal(stale.headers['x-error-code'], 'version_outdated')
  t.same(JSON.parse(String(stale.headers['x-error-details'])), { version: found.original_version })
  t.match(await deckOf(variant), { translation_outdated: true })
  const checked = await check(url, found.original_version)
  t.equal(checked.status, 200)
  t.match(checked.body.translation, { translation_outdated: false, cards_total: 0 })
  t.strictSame(checked.body.translation.cards, [])
  t.match(await deckOf(variant), { translation_outdated: false })
  t.same((await editor.post(`${url}/missing-cards`)).body, { copied: 1 })

  await editor.patch(`${DECKS}/${original}`, { name: 'Anders' })
  t.match((await compare(url)).texts, [{ field: 'name', after: 'Anders' }])
  await editor.patch(`${CARDS}/${third.id}`, { archived: true })
  await editor.patch(`${CARDS}/${third.id}`, { archived: false })
  t.equal((await compare(url)).cards_total, 0, 'a restored card with the same text needs no check')
})

t.test('a removed card counts only while the variant has it', async (t) => {
  const original = await writeDeck(editor, source)
  const card = await writeCard(editor, original)
  const variant = await writeDeck(editor, source, { lang: 'en', translation_of: original })
  await editor.post(`${DECKS}/${variant}/missing-cards`)
  const [copy] = (await editor.get(`${CARDS}?deck=${variant}`)).body.cards
  await editor.patch(`${CARDS}/${card.id}`, { archived: true })
  t.match(await deckOf(variant), { translation_outdated: true })
  await editor.patch(`${CARDS}/${copy.id}`, { archived: true })
  t.match(await deckOf(variant), { translation_outdated: false })
})

t.test('a variant of a sheet is checked against a version of its original', async (t) => {
  const original = await writeSheet()
  const variant = await writeSheet({ lang: 'en', translation_of: original.slug })
  const url = `${SHEETS}/${variant.slug}`
  t.match(variant, { translation_outdated: false })
  t.match(await compare(url), { original_version: 1, translation_outdated: false })
  t.strictSame((await compare(url)).texts, [])
  for (const version of [1, 2]) {
    await editor.patch(`${SHEETS}/${original.slug}`, { version, content_md: `Text ${version}` })
  }
  t.match((await editor.get(url)).body.sheet, { translation_outdated: true })
  const { sheets } = (await editor.get(SHEETS)).body
  const listed = sheets.find(({ slug }: { slug: string }) => slug === original.slug)
  t.match(listed, { translation_outdated: false, variants: [{ slug: variant.slug, translation_outdated: true }] })
  const found = await compare(url)
  t.match(found, { original_version: 3, texts: [{ field: 'content_md', before: 'x', after: 'Text 2' }] })
  const stale = await check(url, 2)
  t.match(stale, { status: 409, headers: { 'x-error-field': 'original_version' } })
  const { translation } = (await check(url, 3)).body
  t.strictSame([translation.translation_outdated, translation.texts], [false, []])
  t.match((await check(url, 3)).status, 200, 'a repeated check changes nothing')
  await editor.patch(url, { version: 1, content_md: 'Text of the variant' })
  t.match((await editor.get(url)).body.sheet, { translation_outdated: false })
  t.match(await check(`${SHEETS}/${original.slug}`, 1), {
    status: 400,
    headers: { 'x-error-field': 'translation_of' },
  })
  t.match(await check(url, 'drei'), { status: 400, headers: { 'x-error-field': 'original_version' } })
})

t.test('a variant of a test is checked against the published texts of its original', async (t) => {
  const deck = await writeDeck(editor, source)
  const question = await writeCard(editor, deck, {
    options: [
      { text: 'Ja', correct: true },
      { text: 'Nein', correct: false },
    ],
  })
  const english = await writeDeck(editor, source, { lang: 'en', translation_of: deck })
  await editor.post(`${DECKS}/${english}/missing-cards`)
  const [copy] = (await editor.get(`${CARDS}?deck=${english}`)).body.cards
  await editor.patch(`${CARDS}/${copy.id}`, { draft: false })
  const [slug, other] = [unique('test'), unique('test')]
  const definition = { name: 'Prüfung', introduction: 'Lies genau.', sections: [{ deck }] }
  const url = `${TESTS}/${other}`
  t.equal((await put(`${TESTS}/${slug}`, { source_id: source, ...definition })).status, 200)
  const variant = { source_id: source, name: 'Exam', lang: 'en', translation_of: slug }
  t.match((await put(url, variant)).body.test, { translation_outdated: false })
  t.match(await compare(url), { original_version: 0, translation_outdated: false })
  t.equal((await editor.post(`${TESTS}/${slug}/publish`)).status, 200)
  t.match(await compare(url), { original_version: 1, translation_outdated: false }, 'nothing earlier to compare with')
  t.equal((await editor.post(`${url}/publish`)).status, 200)

  const change = (version: number, rest: object) => put(`${TESTS}/${slug}`, { version, ...definition, ...rest })
  t.equal((await change(1, { introduction: 'Lies sehr genau.' })).status, 200)
  t.match(await compare(url), { translation_outdated: false }, 'nothing is published')
  t.equal((await editor.post(`${TESTS}/${slug}/publish`)).status, 200)
  const { test } = (await editor.get(url)).body
  t.match(test, { translation_outdated: true })
  t.match((await editor.get(`${TESTS}/${slug}`)).body.test, { variants: [{ translation_outdated: true }] })
  t.match(await compare(url), {
    original_version: 2,
    texts: [{ field: 'introduction', before: 'Lies genau.', after: 'Lies sehr genau.' }],
  })
  t.match((await check(url, 2)).body.translation, { translation_outdated: false })
  await change(2, { introduction: 'Lies sehr genau.', pass_percent: 60 })
  await editor.patch(`${CARDS}/${question.id}`, { version: 1, answer: 'Geändert' })
  t.match((await editor.post(`${TESTS}/${slug}/publish`)).body, { version: 3 })
  t.match(await compare(url), { translation_outdated: false }, 'settings and questions are no texts of the test')
  t.match(await deckOf(english), { translation_outdated: true }, 'the question is one of the deck')
})

t.test('only editors of the source compare and check', async (t) => {
  const original = await writeDeck(editor, source)
  const variant = await writeDeck(editor, source, { lang: 'en', translation_of: original })
  const other = await createEditor(service, await createSource(db))
  const { original_version } = await compare(`${DECKS}/${variant}`)
  t.match(await other.get(`${DECKS}/${variant}/translation`), { status: 403 })
  t.match(await check(`${DECKS}/${variant}`, original_version, other), { status: 403 })
  t.match(await other.post(`${DECKS}/${variant}/missing-cards`), { status: 403 })
  t.match(await editor.post(`${DECKS}/${original}/missing-cards`), {
    status: 400,
    headers: { 'x-error-field': 'translation_of' },
  })
})

const DECK = (cards: Record<string, string>, head = '') => {
  const texts = Object.entries(cards).map(
    ([id, answer]) => `## ${id}?\n<!-- id: ${id}; level: x -->\n\n### Antwort\n${answer}\n`,
  )
  return `---\nname: Deck${head}\n---\n${texts.join('\n')}`
}
const EN = '\nlang: en\ntranslation_of: folge'
const SHEET = (text: string, head = '') => `---\ntitle: Zettel${head}\n---\n${text}\n`
const TEST = (text: string, head = '\nsections:\n  - { deck: folge }') => `---\nname: Test${head}\n---\n${text}\n`
const QUESTION = 'Ja\n\n- [x] Ja\n- [ ] Nein'

t.test('what an import writes to a variant counts as checked, card by card', async (t) => {
  const importFolder = async () => {
    const { status, body } = await admin.post('/api/admin/import?force=true')
    t.equal(status, 200, body.errors)
  }
  const statesOf = async () => ({
    deck: (await deckOf('folge-en')).translation_outdated,
    sheet: (await admin.get(`${SHEETS}/folge-en`)).body.sheet.translation_outdated,
    test: (await admin.get(`${TESTS}/folge-en`)).body.test.translation_outdated,
  })
  const [current, outdated] = [
    { deck: false, sheet: false, test: false },
    { deck: true, sheet: true, test: true },
  ]
  await changeFiles(folder, {
    'decks/folge.md': DECK({ a: QUESTION, b: 'B' }),
    'decks/folge-en.md': DECK({ a: QUESTION, b: 'B' }, EN),
    'cheatsheets/folge.md': SHEET('A'),
    'cheatsheets/folge-en.md': SHEET('A', EN),
    'tests/folge.md': TEST('A'),
    'tests/folge-en.md': TEST('A', EN),
  })
  await importFolder()
  t.same(await statesOf(), current)
  await changeFiles(folder, {
    'decks/folge.md': DECK({ a: QUESTION, b: 'B neu', c: 'C' }),
    'cheatsheets/folge.md': SHEET('A neu'),
    'tests/folge.md': TEST('A neu'),
  })
  await importFolder()
  t.same(await statesOf(), outdated)
  // The variant follows, but lacks a card.
  await changeFiles(folder, {
    'decks/folge-en.md': DECK({ a: QUESTION, b: 'B new' }, EN),
    'cheatsheets/folge-en.md': SHEET('A new', EN),
    'tests/folge-en.md': TEST('A new', EN),
  })
  await importFolder()
  t.same(await statesOf(), { ...current, deck: true })
  t.match((await compare(`${DECKS}/folge-en`, admin)).cards, [{ change: 'added', after: { question: 'c?' } }])
  await changeFiles(folder, { 'decks/folge-en.md': DECK({ a: QUESTION, b: 'B new', c: 'C' }, EN) })
  await importFolder()
  t.same(await statesOf(), current)
  // Original and variant change together.
  await changeFiles(folder, {
    'decks/folge.md': DECK({ a: QUESTION, b: 'B drei', c: 'C' }, ' neu'),
    'decks/folge-en.md': DECK({ a: QUESTION, b: 'B three', c: 'C' }, ` new${EN}`),
    'cheatsheets/folge.md': SHEET('A drei'),
    'cheatsheets/folge-en.md': SHEET('A three', EN),
    'tests/folge.md': TEST('A drei'),
    'tests/folge-en.md': TEST('A three', EN),
  })
  await importFolder()
  t.same(await statesOf(), current)
  // Files are read-only in the browser, but their check is not part of them.
  await changeFiles(folder, { 'decks/folge.md': DECK({ a: QUESTION, b: 'B vier', c: 'C' }, ' vier') })
  await importFolder()
  t.same(await statesOf(), { ...current, deck: true })
  const { original_version, texts } = await compare(`${DECKS}/folge-en`, admin)
  t.match(texts, [{ field: 'name', before: 'Deck neu', after: 'Deck vier' }])
  t.equal((await check(`${DECKS}/folge-en`, original_version, admin)).status, 200)
  await importFolder()
  t.same(await statesOf(), current)
})

t.test('an archive does so too, and a moved card needs no check', async (t) => {
  const files = { 'decks/folge.md': DECK({ a: 'A', b: 'B' }), 'decks/folge-en.md': DECK({ a: 'A', b: 'B' }, EN) }
  const headers = { 'content-type': 'application/octet-stream' }
  const upload = async (query: string, changed: Record<string, string>) =>
    editor.post(`/api/content/imports?${query}`, await zipOf({ ...files, ...changed }), { headers })
  const { body } = await upload('name=Archiv', {})
  const slug = body.decks.find(({ slug }: { slug: string }) => slug.includes('en')).slug
  const outdated = async () => (await deckOf(slug)).translation_outdated
  t.equal(await outdated(), false)
  const query = `source=${body.source.id}`
  await upload(query, { 'decks/folge-en.md': DECK({ b: 'B', a: 'A' }, EN) })
  await upload(query, {
    'decks/folge.md': DECK({ a: 'A neu', b: 'B' }),
    'decks/folge-en.md': DECK({ b: 'B', a: 'A' }, EN),
  })
  t.equal(await outdated(), true)
  await upload(query, {
    'decks/folge.md': DECK({ a: 'A neu', b: 'B' }),
    'decks/folge-en.md': DECK({ a: 'A', b: 'B' }, EN),
  })
  t.equal(await outdated(), true, 'another order of the variant is no translation')
  await upload(query, {
    'decks/folge.md': DECK({ a: 'A neu', b: 'B' }),
    'decks/folge-en.md': DECK({ a: 'A new', b: 'B' }, EN),
  })
  t.equal(await outdated(), false)
})
