import t from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { TEST_DATABASE_URL } from '../support/database.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { createCard, createDeck, unique } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const folder = await writeContentFolder(t, { 'decks/git.md': deckFile('Git', [{ id: 'eins' }, { id: 'zwei' }]) })
const service = await startService(t, { config: { contentDir: folder } })
const { db } = service
const admin = await service.admin()
await admin.post('/api/admin/import')
const source = await createSource(db, { name: 'Werkstatt' })
const editor = await createEditor(service, source)
const stranger = await createEditor(service, await createSource(db))
const deck = await writeDeck(editor, source)

const nameOf = async ({ id }: { id: number }) =>
  (await db.selectFrom('users').select('username').where('id', '=', id).executeTakeFirstOrThrow()).username
const BETTER = { question: 'Was ist besser?', answer: 'Das hier.' }
const suggest = async (caller: Caller, card: number, body: object = { suggestion: BETTER }) =>
  (await caller.post(`/api/review/cards/${card}/reports`, body)).body.id as number
const decide = (id: number, body: object, caller: Caller = editor) => caller.patch(`/api/content/reports/${id}`, body)
const own = async (caller: Caller) => (await caller.get('/api/review/reports')).body.reports
const textsOf = async (id: number) => (await editor.get(`/api/content/cards/${id}`)).body.card
const versionsOf = async (id: number) => (await editor.get(`/api/content/cards/${id}/versions`)).body.versions

t.test('an editor accepts a suggestion as a version of the learner', async (t) => {
  const learner = await service.member()
  const card = await writeCard(editor, deck)
  const id = await suggest(learner, card.id, { text: 'Klarer so', suggestion: { ...BETTER, answer: ' Das hier.\r\n' } })
  const { reports } = (await editor.get('/api/content/reports')).body
  t.match(reports, [
    {
      id,
      text: 'Klarer so',
      suggestion: BETTER,
      outcome: null,
      card: { id: card.id, question: card.question, answer: card.answer, version: 1, source: { id: source } },
    },
  ])
  t.match(await own(learner), [
    { id, suggestion: BETTER, outcome: null, settled_at: null, card: { question: card.question } },
  ])
  const accepted = await decide(id, { accept: true })
  t.match(accepted.body, { outcome: 'accepted', settled_by: editor.username, card: { ...BETTER, version: 2 } })
  t.notOk('paste' in accepted.body)
  t.match(await textsOf(card.id), { ...BETTER, version: 2, level: 'basis' })
  const learnerName = await nameOf(learner)
  t.match((await versionsOf(card.id))[0], {
    version: 2,
    how: 'suggestion',
    changed_by: learnerName,
    accepted_by: editor.username,
  })
  t.match(await own(learner), [{ id, outcome: 'accepted', message: null, card: { question: BETTER.question } }])
  t.strictSame((await decide(id, { accept: true })).body, errorBody(409, 'Die Meldung ist schon erledigt'))
  const { entries } = (await admin.get('/api/accounts/audit?limit=1')).body
  t.match(entries, [{ action: 'report.settle', details: { card_id: card.id, outcome: 'accepted' } }])
})

t.test('an editor changes the suggestion before accepting it', async (t) => {
  const learner = await service.member()
  const card = await writeCard(editor, deck)
  const id = await suggest(learner, card.id)
  t.strictSame(
    (await decide(id, { accept: true, answer: ' ' })).body,
    errorBody(400, 'Das Feld „answer“ darf nicht leer sein'),
  )
  t.equal((await decide(id, { accept: true, answer: 'Noch besser.', version: 1 })).status, 200)
  t.match(await textsOf(card.id), { question: BETTER.question, answer: 'Noch besser.', version: 2 })
  t.match((await versionsOf(card.id))[0], { changed_by: await nameOf(learner) })
})

t.test('an editor declines with a message', async (t) => {
  const learner = await service.member()
  const card = await writeCard(editor, deck)
  const id = await suggest(learner, card.id)
  t.strictSame((await decide(id, { decline: ' ' })).body, errorBody(400, 'Das Feld „decline“ darf nicht leer sein'))
  t.match((await decide(id, { decline: 'Das steht schon da.' })).body, {
    outcome: 'declined',
    message: 'Das steht schon da.',
  })
  t.match(await own(learner), [{ id, outcome: 'declined', message: 'Das steht schon da.' }])
  t.match(await textsOf(card.id), { question: card.question, version: 1 })
  t.strictSame((await decide(id, { decline: 'x' })).body, errorBody(409, 'Die Meldung ist schon erledigt'))
  t.match((await decide(id, { settled: false })).body, { outcome: null, message: null, settled_at: null })
  t.equal((await decide(id, { accept: true })).status, 200)
})

t.test('a suggestion is outdated if the text has changed since it was made or shown', async (t) => {
  const learner = await service.member()
  const card = await writeCard(editor, deck)
  const id = await suggest(learner, card.id)
  await editor.patch(`/api/content/cards/${card.id}`, { version: 1, answer: 'Inzwischen anders' })
  const outdated = errorBody(409, 'Inzwischen geändert')
  t.strictSame((await decide(id, { accept: true })).body, outdated)
  t.strictSame((await decide(id, { accept: true, version: 1 })).body, outdated)
  t.match(await textsOf(card.id), { answer: 'Inzwischen anders', version: 2 })
  t.match((await decide(id, { accept: true, version: 2 })).body, { card: { version: 3 } })

  const again = await suggest(learner, card.id, { suggestion: { question: 'So', answer: 'und so' } })
  await editor.patch(`/api/content/cards/${card.id}`, { version: 3, question: 'So', answer: 'und so' })
  t.match((await decide(again, { accept: true, version: 4 })).body, { outcome: 'accepted', card: { version: 4 } })
})

t.test('a suggestion for a text that is being replaced is not accepted unseen', async (t) => {
  const card = await writeCard(editor, deck)
  const learner = await service.member()
  // With a single connection the suggestion waits for the connection, so it is stored only after the transaction ends.
  const isEarly = TEST_DATABASE_URL !== undefined
  let suggested: Promise<number> | undefined
  await db.transaction().execute(async (transaction) => {
    await transaction.updateTable('cards').set({ answer: 'Gerade geschrieben' }).where('id', '=', card.id).execute()
    suggested = suggest(learner, card.id)
    if (isEarly) await suggested
  })
  const id = (await suggested) as number
  const accepted = await decide(id, { accept: true })
  t.equal(accepted.status, isEarly ? 409 : 200)
  t.match(await textsOf(card.id), { answer: isEarly ? 'Gerade geschrieben' : BETTER.answer })
  if (isEarly) t.match(await decide(id, { accept: true, version: 2 }), { status: 200 })
})

t.test('two editors accept concurrently: one version', async (t) => {
  const card = await writeCard(editor, deck)
  const id = await suggest(await service.member(), card.id)
  const both = await Promise.all([editor, admin].map((caller) => decide(id, { accept: true }, caller)))
  t.strictSame(both.map(({ status }) => status).sort(), [200, 409])
  t.match(await textsOf(card.id), { version: 2 })
})

t.test('only editors of the source decide; administrators decide for the folder', async (t) => {
  const learner = await service.member()
  const card = await writeCard(editor, deck)
  const id = await suggest(learner, card.id)
  t.notOk((await stranger.get('/api/content/reports')).body.reports.some((one: { id: number }) => one.id === id))
  await db.deleteFrom('source_editors').where('user_id', '=', editor.id).execute()
  t.equal((await decide(id, { accept: true })).status, 403, 'the right is withdrawn')
  await db.insertInto('source_editors').values({ source_id: source, user_id: editor.id }).execute()

  const inFile = await db
    .selectFrom('cards')
    .select('id')
    .where('question', '=', 'Frage eins?')
    .executeTakeFirstOrThrow()
  const forFile = await suggest(learner, inFile.id, { suggestion: { ...BETTER, answer: 'Zeile\n\n## keine Karte' } })
  t.equal((await decide(forFile, { accept: true })).status, 403)
  const { body } = await decide(forFile, { accept: true }, admin)
  t.match(body, {
    settled_at: null,
    outcome: 'accepted',
    file: 'decks/git.md',
    card: { question: 'Frage eins?', version: 1 },
  })
  t.match(await own(learner), [{ id: forFile, outcome: null }, {}], 'the file does not contain the text yet')
  await changeFiles(folder, {
    'decks/git.md': `${deckFile('Git', [{ id: 'zwei' }])}\n${body.paste}`,
  })
  await admin.post('/api/admin/import')
  const pasted = await db
    .selectFrom('cards')
    .select(['question', 'answer'])
    .where('id', '=', inFile.id)
    .executeTakeFirst()
  t.strictSame(pasted, { question: BETTER.question, answer: 'Zeile\n\n## keine Karte' })
  t.match((await decide(forFile, { settled: true }, admin)).body, { outcome: 'accepted' })
  t.match(await own(learner), [{ id: forFile, outcome: 'accepted' }, {}])
})

t.test('a report without a suggestion cannot be accepted, and a decision needs exactly one choice', async (t) => {
  const learner = await service.member()
  const card = await writeCard(editor, deck)
  const id = await suggest(learner, card.id, { text: 'Falsch' })
  t.strictSame((await decide(id, { accept: true })).body, errorBody(409, 'Die Meldung enthält keinen Vorschlag'))
  t.strictSame((await decide(id, {})).body, errorBody(400, 'Das Feld „settled“ fehlt'))
  const one = 'Nur eines der Felder „settled“, „accept“ und „decline“ ist möglich'
  t.strictSame((await decide(id, { settled: true, accept: true })).body, errorBody(400, one))
  t.equal((await decide(id, { accept: false })).status, 400)
  t.match((await decide(id, { decline: 'Nein.' })).body, { outcome: 'declined' })
})

t.test('refuses invalid suggestions and replaces open ones', async (t) => {
  const learner = await service.member()
  const card = await writeCard(editor, deck)
  const post = (body: object, id = card.id) => learner.post(`/api/review/cards/${id}/reports`, body)
  const field = 'Das Feld „suggestion/answer“'
  for (const [answer, message] of [
    ['a\0', `${field} enthält unzulässige Zeichen`],
    ['\udfff', `${field} enthält unzulässige Zeichen`],
    [' \n', `${field} darf nicht leer sein`],
    ['x'.repeat(65_537), `${field} darf höchstens 65.536 Zeichen haben`],
  ] as const) {
    t.strictSame((await post({ suggestion: { ...BETTER, answer } })).body, errorBody(400, message))
  }
  t.strictSame((await post({})).body, errorBody(400, 'Das Feld „text“ fehlt'))
  t.strictSame(
    (await post({ text: ' ', suggestion: null })).body,
    errorBody(400, 'Das Feld „text“ darf nicht leer sein'),
  )
  const { question, answer } = card
  t.strictSame(
    (await post({ suggestion: { question, answer } })).body,
    errorBody(400, 'Der Vorschlag ändert den Text nicht'),
  )
  t.equal((await post({ text: 'x', suggestion: { question, answer } })).status, 200)
  t.match(await own(learner), [{ suggestion: null, text: 'x' }])
  t.equal((await post({ text: 'y' })).status, 200)
  const reports = db.selectFrom('card_reports').select('card_version').where('card_id', '=', card.id)
  t.strictSame(await reports.execute(), [{ card_version: null }], 'a report without a suggestion has no version')
  const large = { question: '"'.repeat(60_000), answer: '\\'.repeat(60_000) }
  t.equal((await post({ suggestion: large })).status, 200)
  t.match(await own(learner), [{ suggestion: large, text: '' }])
  t.equal((await post({ suggestion: { ...large, answer: '"'.repeat(140_000) } })).status, 413)
  const draft = await writeCard(editor, deck, { draft: true })
  t.equal((await post({ suggestion: BETTER }, draft.id)).status, 404)
})

t.test('handles hidden and deleted cards, and deleted sources and reporters', async (t) => {
  const learner = await service.member()
  const [card, other] = [await writeCard(editor, deck), await writeCard(editor, deck)]
  const [id, second] = [await suggest(learner, card.id), await suggest(learner, other.id)]
  await editor.patch(`/api/content/cards/${card.id}`, { draft: true })
  t.match(await own(learner), [{ id: second }, { id, card: null, suggestion: BETTER }])
  await db.deleteFrom('users').where('id', '=', learner.id).execute()
  t.match((await decide(id, { accept: true })).body, { by: null, outcome: 'accepted' })
  t.match((await versionsOf(card.id))[0], { how: 'suggestion', changed_by: null, accepted_by: editor.username })
  await db.deleteFrom('cards').where('id', '=', other.id).execute()
  t.equal((await decide(second, { accept: true })).status, 404)

  const gone = await createDeck(db)
  const script = await createCard(db, { deck_id: gone.id })
  const third = await suggest(await service.member(), script.id)
  t.match((await decide(third, { accept: true }, admin)).body, { paste: /Was ist besser/, card: { source: null } })
})

t.test("lists the user's reports in pages", async (t) => {
  const learner = await service.member()
  const ids: number[] = []
  for (let count = 0; count < 3; count++) ids.push(await suggest(learner, (await writeCard(editor, deck)).id))
  const first = (await learner.get('/api/review/reports?limit=2')).body
  t.match(first, { reports: [{ id: ids[2] }, { id: ids[1] }], next_before: ids[1] })
  t.match((await learner.get(`/api/review/reports?before=${ids[1]}`)).body, {
    reports: [{ id: ids[0] }],
    next_before: null,
  })
  t.strictSame(await own(await service.member()), [])
  t.equal((await learner.get(`/api/review/reports?before=${unique('x')}`)).status, 400)
})
