import t from 'tap'
import { NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { readMoodle } from '../../src/domain/moodle/index.js'
import { archiveTest, saveDefinition } from '../../src/services/tests/save-definition.js'
import { defineTest, OPTIONS, writeQuestion, writeTest } from '../support/edited-tests.js'
import { copyCard, createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const service = await startService(t)
const { db } = service
const admin = await service.admin()
const source = await createSource(db, { name: 'Werkstatt' })
const editor = await createEditor(service, source)
const stranger = await createEditor(service, await createSource(db))
const URL = '/api/content/tests'

const put = (slug: string, body: object, caller: Caller = editor) =>
  caller.send({ method: 'PUT', url: `${URL}/${encodeURIComponent(slug)}`, payload: body })
const publish = (slug: string, query = '', caller: Caller = editor) => caller.post(`${URL}/${slug}/publish${query}`)
const countVersions = async () => (await db.selectFrom('test_versions').select('version').execute()).length
const pool = async (questions = 2, rest: object = {}) => {
  const deck = await writeDeck(editor, source, { tests_only: true })
  for (let made = 0; made < questions; made++) await writeQuestion(editor, deck, rest)
  return deck
}

t.test('a definition gets its defaults, and the returned definition can be saved', async (t) => {
  const slug = unique('test')
  const deck = await pool()
  const { status, body } = await put(slug, { source_id: source, name: ' Datenschutz ', sections: [{ deck }] })
  t.equal(status, 200)
  t.match(body.test, {
    slug,
    name: 'Datenschutz',
    description: '',
    introduction: '',
    pass_percent: 80,
    multiple: 'partial',
    attempts: null,
    wait_minutes: 0,
    time_limit_minutes: null,
    shuffle: true,
    pages: 'one',
    access: 'open',
    review: 'explanations',
    review_when: 'passed_or_last',
    opens: null,
    closes: null,
    sections: [{ deck, level: null, cards: null, draw: null }],
    version: 1,
    state: 'draft',
    published_version: null,
    question_count: 0,
    open_questions: null,
    source_id: source,
    source: { id: source, kind: 'written', name: 'Werkstatt' },
  })
  t.strictSame((await editor.get(`${URL}/${slug}`)).body, body)
  const again = await put(slug, body.test)
  t.strictSame(again.body, body, 'the same definition is no new version')
  t.match((await put(slug, { ...body.test, attempts: 'unlimited' })).body, body)
  t.match((await editor.get(`${URL}?source=${source}`)).body.tests, [{ slug, state: 'draft' }])
})

t.test('lists tests by name, page by page', async (t) => {
  const source = await createSource(db)
  const deck = await pool()
  const names = ['Öl', 'Zoll', 'Abfall', 'abfall', 'Zoll']
  const slugs: string[] = []
  for (const name of names) {
    const slug = unique('test')
    await put(slug, { source_id: source, name, sections: [{ deck }] }, admin)
    slugs.push(slug)
  }
  const list = async (query = '') => (await admin.get(`${URL}?source=${source}${query}`)).body
  const all = await list()
  t.strictSame(
    all.tests.map(({ name }: { name: string }) => name),
    ['abfall', 'Abfall', 'Öl', 'Zoll', 'Zoll'],
  )
  t.equal(all.next_after, null)
  const seen: unknown[] = []
  let after: number | null = null
  do {
    const page = await list(`&limit=2${after === null ? '' : `&after=${after}`}`)
    t.ok(page.tests.length <= 2)
    seen.push(...page.tests)
    after = page.next_after
  } while (after !== null)
  t.strictSame(seen, all.tests)
  t.strictSame(await list('&after=x'), errorBody(400, 'Der Parameter „after“ ist ungültig'))
  t.strictSame(await list('&after=2147483647'), { tests: [], next_after: null })
})

t.test('two editors cannot overwrite each other', async (t) => {
  const { slug, deck } = await writeTest(editor, source)
  const body = (name: string, version?: number) => ({ name, sections: [{ deck }], ...(version && { version }) })
  t.match((await put(slug, body('Neu', 1))).body.test, { name: 'Neu', version: 2, has_changes: true })
  const outdated = await put(slug, body('Anders', 1))
  t.strictSame(outdated.body, errorBody(409, 'Inzwischen geändert'))
  t.equal(outdated.headers['x-error-code'], 'version_outdated')
  t.strictSame((await put(slug, body('Anders'))).body, errorBody(400, 'Das Feld „version“ fehlt'))
  const both = await Promise.all(['A', 'B'].map((name) => put(slug, body(name, 2))))
  t.strictSame(both.map(({ status }) => status).sort(), [200, 409])
  const other = unique('test')
  const created = await Promise.all(['A', 'B'].map((name) => put(other, { ...body(name), source_id: source })))
  t.strictSame(created.filter(({ status }) => status === 200).length, 1, 'one of two requests creates it')
})

t.test('refuses faulty definitions with a message', async (t) => {
  const deck = await pool()
  const section = { deck }
  for (const [change, message] of [
    [{ name: ' ' }, '„name“ darf nicht leer sein'],
    [{ name: 'a\tb' }, '„name“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten'],
    [{ introduction: 'a\u0000' }, '„introduction“ enthält ein Zeichen, das nicht gespeichert werden kann'],
    [{ opens: '2026-02-30' }, '„opens“ muss ein Tag sein, etwa 2026-12-31'],
    [{ opens: '2026-12-02', closes: '2026-12-01' }, '„closes“ liegt vor dem ersten Tag'],
    [{ review_when: 'closed' }, '„review_when“ mit dem Wert closed braucht einen letzten Tag'],
    [{ attempts: 'viele' }, '„attempts“ muss eine ganze Zahl zwischen 1 und 100 sein oder „unlimited“ (unbegrenzt)'],
    [{ attempts: 0 }, '„attempts“ muss eine ganze Zahl zwischen 1 und 100 sein oder „unlimited“ (unbegrenzt)'],
    [{ sections: [{ ...section, level: 'a', cards: ['b'] }] }, /^Abschnitt 1: Ein Abschnitt hat entweder/],
    [{ sections: [section, { ...section, cards: ['a', 'a'] }] }, /^Abschnitt 2: „cards“ nennt die Karte „a“ zweimal/],
    [{ sections: [{ ...section, cards: ['a'], draw: 2 }] }, /aber „cards“ nennt nur 1 Karten/],
    [{ sections: [{ ...section, cards: [] }] }, /„cards“ muss eine Liste von Karten sein/],
    [{ sections: [] }, /sections/],
    [{ pass_percent: 101 }, /pass_percent/],
    [{ pass_percent: 0.5 }, /pass_percent/],
    [{ multiple: 'some' }, /partial, all/],
    [{ sections: 'x' }, /sections/],
  ] as const) {
    const { status, body } = await put(unique('test'), {
      source_id: source,
      name: 'Test',
      sections: [section],
      ...change,
    })
    t.match({ status, message: body.message }, { status: 400, message }, JSON.stringify(change))
  }
  const noSource = await put(unique('test'), { name: 'Test', sections: [section] })
  t.strictSame(noSource.body, errorBody(400, 'Das Feld „source_id“ fehlt'))
  for (const slug of ['..%2F', ' ', 'a\u0007', 'a\u0000', 'x'.repeat(201)]) {
    const { status } = await put(slug, { source_id: source, name: 'Test', sections: [section] })
    t.equal(status, slug === '..%2F' ? 200 : 400, JSON.stringify(slug))
  }
  t.match((await put('attempts', { source_id: source, name: 'T', sections: [section] })).body.test, {
    slug: 'attempts-2',
  })
  t.match((await editor.get(`${URL}/attempts`)).body.test, { slug: 'attempts-2' })
})

t.test('publishing copies the questions, and the same questions publish nothing', async (t) => {
  const { slug, deck, cards, version } = await writeTest(editor, source, { attempts: 1 })
  t.equal(version, 1)
  t.match((await editor.get(`${URL}/${slug}`)).body.test, {
    state: 'published',
    published_version: 1,
    published_by: editor.username,
    has_changes: false,
    questions: 3,
    question_count: 3,
    open_questions: false,
  })
  const before = await countVersions()
  const same = await publish(slug)
  t.match(same.body, { version: 1, changed: false, questions: 3, question_count: 3, draws: '1', open_questions: false })
  t.equal(await countVersions(), before)
  t.ok(
    Math.abs(same.body.guess_percent - 100 / 64) < 0.01,
    'the chance to guess three single choices with four options',
  )

  const card = (await editor.get(`/api/content/cards/${cards[0]}`)).body.card
  await editor.patch(`/api/content/cards/${cards[0]}`, { version: card.version, question: 'Neu gefragt?' })
  t.match((await publish(slug, '?check=true')).body, { version: 2, changed: true })
  t.equal(await countVersions(), before, 'a check writes nothing')
  t.match((await publish(slug)).body, { version: 2, changed: true })
  const rows = await db
    .selectFrom('test_questions')
    .innerJoin('tests', 'tests.id', 'test_id')
    .select(['version', 'card_id', 'content'])
    .where('slug', '=', slug)
    .orderBy('test_questions.id')
    .execute()
  t.strictSame(
    rows.map(({ version, card_id, content }) => [version, card_id, content.question === 'Neu gefragt?']),
    [1, 2].flatMap((version) => cards.map((id, index) => [version, id, version === 2 && index === 0])),
  )
  const ids = rows.flatMap(({ content }) => (content.form === 'single' ? content.options.map(({ id }) => id) : []))
  t.equal(new Set(ids).size, 24, 'ids of options are random')

  await editor.patch(`/api/content/decks/${deck}`, { archived: true })
  t.match(await publish(slug), {
    headers: {
      'x-error-code': 'not_publishable',
      'x-error-details': /^\{"kind":"deck_archived","deck":"[^"]+","section":1\}$/,
    },
    body: errorBody(409, `Abschnitt 1: Das Deck „${deck}“ ist archiviert`),
  })
  t.match((await editor.get(`${URL}/${slug}`)).body.test, { published_version: 2 }, 'the version number continues')
})

t.test('reports the weaknesses of the questions and the number of possible draws', async (t) => {
  const deck = await pool(5, { options: OPTIONS.slice(0, 2) })
  const slug = unique('test')
  await put(slug, { source_id: source, name: 'Test', sections: [{ deck, draw: 2 }] })
  const { body } = await publish(slug, '?check=true')
  t.match(body, { draws: '10', guess_percent: 100, findings_total: 5, version: 1, changed: true })
  t.match(body.findings[0], { rule: 'few-options', card_id: Number, question: String })
})

t.test('refuses to publish a test whose questions cannot be drawn', async (t) => {
  const deck = await pool(2)
  const plain = await writeDeck(editor, source)
  const key = async (deck: string, rest: object = {}) => {
    const { id } = await writeCard(editor, deck, rest)
    const row = await db.selectFrom('imported_cards').select('key').where('card_id', '=', id).executeTakeFirstOrThrow()
    return { id, key: row.key }
  }
  const plainCard = await key(plain)
  const question = { options: OPTIONS, level: 'pflicht' }
  const draft = await key(deck, { ...question, draft: true })
  const archived = await key(deck, question)
  await editor.patch(`/api/content/cards/${archived.id}`, { archived: true })
  const live = await key(deck, question)
  const ofOther = await writeDeck(stranger, (await ownSource(stranger.id)) as number, { tests_only: true })
  await writeQuestion(stranger, ofOther)
  for (const [sections, message] of [
    [[{ deck, draw: 4 }], `Abschnitt 1: „draw“ ist 4, aber im Deck „${deck}“ gibt es nur 3 Fragen`],
    [[{ deck, level: 'pflicht', draw: 2 }], /mit dem Level „pflicht“ gibt es nur eine Frage/],
    [[{ deck, level: 'nie' }], `Abschnitt 1: Im Deck „${deck}“ mit dem Level „nie“ gibt es keine Frage`],
    [[{ deck: plain }], `Abschnitt 1: Im Deck „${plain}“ gibt es keine Frage`],
    [[{ deck: 'gibt-es-nicht' }], 'Abschnitt 1: Das Deck „gibt-es-nicht“ gibt es nicht'],
    [[{ deck: ofOther }], `Abschnitt 1: Das Deck „${ofOther}“ gibt es nicht`],
    [[{ deck, cards: ['gibt-es-nicht'] }], `Abschnitt 1: Die Karte „gibt-es-nicht“ gibt es im Deck „${deck}“ nicht`],
    [[{ deck, cards: [draft.key] }], `Abschnitt 1: Die Karte „${draft.key}“ ist ein Entwurf`],
    [[{ deck, cards: [archived.key] }], `Abschnitt 1: Die Karte „${archived.key}“ ist archiviert`],
    [[{ deck: plain, cards: [plainCard.key] }], /ist keine Frage/],
    [
      [{ deck, cards: [live.key] }, { deck }],
      `Abschnitt 2: Die Karte „${live.key}“ aus „${deck}“ steht schon in Abschnitt 1`,
    ],
  ] as const) {
    const slug = unique('test')
    t.equal((await put(slug, { source_id: source, name: 'Test', sections })).status, 200)
    for (const query of ['', '?check=true']) {
      const { status, body, headers } = await publish(slug, query)
      t.match({ status, message: body.message }, { status: 409, message }, JSON.stringify(sections))
      const { section, kind } = JSON.parse(String(headers['x-error-details']))
      t.equal(section, sections.length, 'names the section')
      t.type(kind, 'string')
    }
  }
  const slug = unique('test')
  await put(slug, { source_id: source, name: 'Test', sections: [{ deck, cards: [live.key] }, { deck: 'weg' }] })
  t.equal((await publish(slug)).status, 409)
  t.equal((await editor.get(`${URL}/${slug}`)).body.test.published_version, null)
})

t.test('a pool that becomes too small for the draw prevents only the next publication', async (t) => {
  const { slug, deck, cards } = await writeTest(editor, source, {}, { questions: 3 })
  const { body } = await editor.get(`${URL}/${slug}`)
  await put(slug, { ...body.test, sections: [{ deck, draw: 3 }] })
  await publish(slug)
  await editor.patch(`/api/content/cards/${cards[0]}`, { archived: true })
  t.match((await publish(slug)).body.message, /„draw“ ist 3, aber im Deck .* gibt es nur 2 Fragen/)
  t.match((await editor.get(`${URL}/${slug}`)).body.test, { published_version: 2, questions: 3, question_count: 3 })
})

t.test('ordinary decks of other sources are open questions', async (t) => {
  const open = await writeDeck(stranger, (await ownSource(stranger.id)) as number)
  await writeQuestion(stranger, open)
  const slug = unique('test')
  await put(slug, { source_id: source, name: 'Test', sections: [{ deck: await pool() }, { deck: open }] })
  t.match((await publish(slug)).body, { open_questions: true, questions: 3 })
})

t.test('a test draws only from pools of its source, even if its editor edits several sources', async (t) => {
  const other = await createSource(db)
  const both = await createEditor(service, other)
  await db.insertInto('source_editors').values({ user_id: both.id, source_id: source }).execute()
  const foreign = await writeDeck(both, other, { tests_only: true })
  await writeQuestion(both, foreign)
  const slug = unique('test')
  await put(slug, { source_id: source, name: 'Test', sections: [{ deck: await pool() }, { deck: foreign }] }, both)
  for (const attempt of [() => publish(slug, '', both), () => both.get(`${URL}/${slug}/preview`)]) {
    t.match(await attempt(), { status: 409, body: { message: /Abschnitt 2: / } })
  }
})

t.test('only current editors see a test', async (t) => {
  const own = await createSource(db)
  const passing = await createEditor(service, own)
  const { slug } = await writeTest(passing, own)
  t.match((await passing.get(URL)).body, { tests: [{ slug }] })
  t.strictSame((await stranger.get(URL)).body, { tests: [], next_after: null })
  await db.deleteFrom('source_editors').where('user_id', '=', passing.id).execute()
  for (const send of [
    () => passing.get(`${URL}/${slug}`),
    () => put(slug, {}, passing),
    () => passing.patch(`${URL}/${slug}`, { archived: true }),
    () => publish(slug, '', passing),
  ]) {
    t.equal((await send()).status, 403)
  }
  t.equal((await put(unique('test'), { source_id: own, name: 'x', sections: [{ deck: 'x' }] }, passing)).status, 403)
  // Simulates that the test is created between the headers and the body of a request.
  const save = { slug, definition: defineTest({}), sourceId: undefined, version: 1 }
  await t.rejects(saveDefinition(db, save, new Set()), NOT_AN_EDITOR)
  await t.rejects(archiveTest(db, slug, true, new Set()), NOT_AN_EDITOR)
  t.equal((await publish(slug, '', admin)).status, 200)
  const moved = await put(slug, { source_id: source, name: 'x', sections: [{ deck: 'x' }], version: 1 }, admin)
  t.strictSame(moved.body, errorBody(409, 'Der Test gehört einer anderen Quelle'))
})

t.test("the preview equals the learner's view, without right answers", async (t) => {
  const deck = await pool(4)
  await writeQuestion(editor, deck, { answer: '1. eins\n2. zwei', options: [], form: 'order' })
  const slug = unique('test')
  await put(slug, { source_id: source, name: 'Test', introduction: '*Los*', sections: [{ deck, draw: 4 }] })
  const { status, body } = await editor.get(`${URL}/${slug}/preview`)
  t.equal(status, 200)
  const { questions, ...rest } = body.preview
  t.match(rest, { slug, version: 1, name: 'Test', introduction: '*Los*', pages: 'one', time_limit_minutes: null })
  t.strictSame(
    questions.map(({ slot }: { slot: number }) => slot),
    [0, 1, 2, 3],
  )
  t.notMatch(JSON.stringify(body), /correct|feedback|explanation|Darum|NIS-2/)
  const asked = questions.filter(({ form }: { form: string }) => form === 'single')
  t.strictSame(Object.keys(asked[0]).sort(), ['answer', 'form', 'options', 'points', 'question', 'seq', 'slot'])
  t.strictSame(Object.keys(asked[0].options[0]), ['id', 'text'])
  t.equal(await db.selectFrom('attempts').select('id').executeTakeFirst(), undefined, 'nothing is stored')
  await put(slug, { name: 'Test', version: 1, sections: [{ deck: 'weg' }] })
  t.match((await editor.get(`${URL}/${slug}/preview`)).body, { statusCode: 409, message: /„weg“ gibt es nicht/ })
})

t.test('an archived test cannot be published until it is restored', async (t) => {
  const { slug } = await writeTest(editor, source)
  t.match((await editor.patch(`${URL}/${slug}`, { archived: true })).body.test, { state: 'archived' })
  t.match((await publish(slug)).body.message, 'Der Test ist archiviert')
  t.match((await editor.patch(`${URL}/${slug}`, { archived: false })).body.test, {
    state: 'published',
    archived_at: null,
  })
})

t.test('a test of the folder is read-only', async (t) => {
  const slug = unique('test')
  const written = await writeTest(editor, source, {}, { tests_only: false })
  const definition = JSON.stringify((await editor.get(`${URL}/${written.slug}`)).body.test)
  await db
    .insertInto('tests')
    .values({ slug, source_id: null, source_key: null, file: 'tests/x.md', definition })
    .execute()
  t.equal((await editor.get(`${URL}/${slug}`)).status, 403)
  t.equal((await admin.get(`${URL}/${slug}`)).status, 200)
  t.match((await admin.patch(`${URL}/${slug}`, { archived: true })).body, { statusCode: 409, message: /tests\/x\.md/ })
  t.equal((await publish(slug, '', admin)).status, 409)
  const versions = await countVersions()
  t.match(await publish(slug, '?check=true', admin), { status: 200, body: { version: 1, changed: true } })
  t.equal(await countVersions(), versions, 'a check writes nothing')
})

t.test('a new test gets another key if an uploaded one has its slug as key', async (t) => {
  const { slug, deck } = await writeTest(editor, source)
  await db
    .updateTable('tests')
    .set({ slug: `${slug}-2` })
    .where('slug', '=', slug)
    .execute()
  const { status, body } = await put(slug, { source_id: source, name: 'Neu', sections: [{ deck }] })
  t.match({ status, body }, { status: 200, body: { test: { slug, name: 'Neu' } } })
  t.match(await db.selectFrom('tests').select('source_key').where('slug', '=', slug).execute(), [
    { source_key: `${slug}-2` },
  ])
})

async function ownSource(id: number): Promise<number | undefined> {
  const row = await db.selectFrom('source_editors').select('source_id').where('user_id', '=', id).executeTakeFirst()
  return row?.source_id
}

t.test('exports its questions for Moodle and as a table', async (t) => {
  const { slug } = await writeTest(editor, source, { name: 'Datenschutz & Co' }, { questions: 2 })
  const moodle = await editor.get(`${URL}/${slug}/export?format=moodle`)
  t.match(moodle.headers, {
    'content-type': 'application/xml; charset=utf-8',
    'content-disposition': /^attachment; filename="svc_training_fragen_\d{4}-\d\d-\d\d\.xml"$/,
  })
  const { questions, refused } = readMoodle(moodle.text, { maxLength: 65_536, maxQuestions: 100 })
  t.strictSame(refused, [])
  t.match(questions, [
    { category: 'Datenschutz & Co', answer: 'Darum', exercise: { form: 'choice', options: OPTIONS } },
    { question: String },
  ])
  const table = await editor.get(`${URL}/${slug}/export?format=csv`)
  t.match(table.headers['content-type'], 'text/csv')
  const lines = table.text.split('\r\n')
  t.equal(lines[0], '\ufeffFrage;Antwort;Falsch 1;Falsch 2;Falsch 3;Erklärung')
  t.match(lines[1], /^Frage-[^;]+;72 Stunden;24 Stunden;7 Tage;30 Tage;Darum$/)

  t.match(
    (await editor.get(`${URL}/${slug}/export`)).body,
    errorBody(400, 'Der Parameter „format“ fehlt: eines von moodle, csv'),
  )
  t.equal((await editor.get(`${URL}/${slug}/export?format=qti`)).status, 400)
})

t.test('exports the questions of a source, and cells are no formulas', async (t) => {
  const own = await createSource(db)
  const author = await createEditor(service, own)
  const deck = await writeDeck(author, own, { name: 'Netze::Ports', tests_only: true })
  await writeQuestion(author, deck, { question: '=1+1' })
  await writeQuestion(author, deck, { draft: true })
  await writeCard(author, deck)
  const table = await author.get(`/api/content/sources/${own}/questions?format=csv`)
  t.match(table.text.split('\r\n').slice(1), [/^'=1\+1;72 Stunden;/, ''])
  const moodle = await author.get(`/api/content/sources/${own}/questions?format=moodle`)
  const { questions } = readMoodle(moodle.text, { maxLength: 65_536, maxQuestions: 100 })
  t.match(questions, [{ category: 'Netze/Ports', question: '=1+1' }])
  t.equal(questions.length, 1)
})

t.test('exports more questions than one step writes, in the order of their decks', async (t) => {
  const own = await createSource(db)
  const author = await createEditor(service, own)
  const names = Array.from({ length: 120 }, (_, index) => `Frage ${index + 1}`)
  for (const part of [names.slice(0, 60), names.slice(60)]) {
    const deck = await writeDeck(author, own)
    const [question = '', ...others] = part
    const card = await writeQuestion(author, deck, { question })
    await copyCard(db, card.id, others)
  }
  const table = await author.get(`/api/content/sources/${own}/questions?format=csv`)
  t.strictSame(
    table.text.split('\r\n').map((line) => line.split(';')[0]),
    ['\ufeffFrage', ...names, ''],
  )
  const moodle = await author.get(`/api/content/sources/${own}/questions?format=moodle`)
  const { questions } = readMoodle(moodle.text, { maxLength: 65_536, maxQuestions: 200 })
  t.strictSame(
    questions.map(({ question }) => question),
    names,
  )
  t.equal(Number(moodle.headers['content-length']), Buffer.byteLength(moodle.text))
})

t.test('lists the published versions with their attempts, the newest first', async (t) => {
  const { slug, deck } = await writeTest(editor, source, { name: 'Erster Name' })
  const versionsOf = async (query = '') => (await editor.get(`${URL}/${slug}/versions${query}`)).body
  const learner = await service.member()
  for (const taker of [learner, editor]) {
    await taker.post(`/api/tests/${slug}/attempts`, { client_id: `versions-${taker.id}` })
  }
  const { version } = (await editor.get(`${URL}/${slug}`)).body.test
  await put(slug, { version, name: 'Zweiter Name', sections: [{ deck }] })
  await editor.post(`${URL}/${slug}/publish`)
  const published = { published_at: String, published_by: String, open_questions: false, questions: 3 }
  t.match(await versionsOf(), {
    versions: [
      { version: 2, name: 'Zweiter Name', attempts: 0, open_attempts: 0, ...published },
      { version: 1, name: 'Erster Name', attempts: 1, open_attempts: 1, ...published },
    ],
    next_before: null,
  })
  t.match(await versionsOf('?limit=1'), { versions: [{ version: 2 }], next_before: 2 })
  t.match(await versionsOf('?before=2'), { versions: [{ version: 1 }], next_before: null })
  t.equal((await editor.get(`${URL}/${slug}/versions?before=x`)).status, 400)
})

t.test('lists more tests than a statement reads, by name', async (t) => {
  const own = await createSource(db)
  const author = await createEditor(service, own)
  const { slug } = await writeTest(author, own, { name: 'Äpfel' })
  const { definition } = await db
    .selectFrom('tests')
    .select('definition')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
  // Two tests of each name, so that the order of equal names is tested, too.
  const names = Array.from({ length: 300 }, (_, index) => `${(index >> 1) % 3 === 0 ? 'ä' : 'Z'} ${100 + (index >> 1)}`)
  const rows = names.map((name, index) => ({
    slug: `${slug}-${index}`,
    source_id: own,
    source_key: `${slug}-${index}`,
    definition: JSON.stringify({ ...definition, name }),
  }))
  await db.insertInto('tests').values(rows).execute()
  const { tests, next_after } = (await author.get(`${URL}?limit=1000`)).body
  t.equal(next_after, null)
  const { compare } = new Intl.Collator('de')
  t.strictSame(
    tests.map((test: { slug: string }) => test.slug),
    [...names.entries()]
      .toSorted(([one, oneName], [other, otherName]) => compare(oneName, otherName) || one - other)
      .map(([index]) => `${slug}-${index}`)
      .toSpliced(100, 0, slug),
  )
  const pages = []
  for (let after = ''; after !== 'null'; ) {
    const { body } = await author.get(`${URL}?limit=40&after=${after}`)
    pages.push(...body.tests)
    after = String(body.next_after)
  }
  t.strictSame(tests, pages)
})
