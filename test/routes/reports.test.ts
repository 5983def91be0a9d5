import t from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { createCard, createDeck } from '../support/factories.js'
import { type Caller, callerOf, errorBody, startService } from '../support/service.js'

const text = deckFile('Git', [{ id: 'eins' }, { id: 'zwei' }, { id: 'drei' }])
const folder = await writeContentFolder(t, {
  'decks/git.md': text,
  'decks/sql.md': deckFile('SQL', [{ id: 'eins', question: 'Was ist ein Join?' }]),
})
const service = await startService(t, { config: { contentDir: folder } })
const { db } = service
const admin = await service.admin()
await admin.post('/api/admin/import')

const idOf = async (question: string) =>
  (await db.selectFrom('cards').select('id').where('question', '=', question).executeTakeFirstOrThrow()).id
const lineOf = (id: string) => text.split('\n').indexOf(`## Frage ${id}?`) + 1
const nameOf = async (id: number) =>
  (await db.selectFrom('users').select('username').where('id', '=', id).executeTakeFirstOrThrow()).username
const report = (caller: Caller, id: number, text: unknown = 'Stimmt nicht.') =>
  caller.post(`/api/review/cards/${id}/reports`, { text })
const list = async (query = '') => (await admin.get(`/api/content/reports${query}`)).body
const settle = (id: number, settled = true) => admin.patch(`/api/content/reports/${id}`, { settled })

t.afterEach(async () => {
  await db.deleteFrom('card_reports').execute()
})

t.test('a learner reports a card, and an administrator sees its deck and settles the report', async (t) => {
  const member = await service.member()
  const card = await idOf('Frage zwei?')
  const { status, body } = await report(member, card, '  Die Antwort\r\ngilt nicht mehr.\n')
  t.equal(status, 200)
  const { id } = body
  t.strictSame(body, { id })
  const { reports, ...rest } = await list()
  t.strictSame(rest, { open: 1, next_after: null, next_before: null })
  const found = {
    id,
    card: {
      id: card,
      question: 'Frage zwei?',
      answer: 'Antwort zwei.',
      version: 1,
      deck: { slug: 'git', name: 'Git' },
      archived: false,
      source: null,
    },
    card_changed: false,
    text: 'Die Antwort\ngilt nicht mehr.',
    suggestion: null,
    by: await nameOf(member.id),
    by_name: 'Erika Muster',
    created_at: reports[0].created_at,
    file: 'decks/git.md',
    line: lineOf('zwei'),
    settled_at: null,
    settled_by: null,
    settled_by_name: null,
    outcome: null,
    message: null,
  }
  t.strictSame(reports, [found])

  const settled = await settle(id)
  const { settled_at } = settled.body
  t.match(settled_at, /Z$/)
  t.strictSame(settled.body, {
    ...found,
    settled_at,
    settled_by: await nameOf(admin.id),
    settled_by_name: 'Erika Muster',
  })
  t.strictSame((await settle(id)).body, settled.body, 'a repeated request changes nothing')
  t.match(await list('?state=open'), { reports: { length: 0 }, open: 0 })
  t.strictSame(await list('?state=settled'), { reports: [settled.body], open: 0, next_after: null, next_before: null })
  t.strictSame((await settle(id, false)).body, found)
  t.equal((await list('?state=open')).open, 1)
  const { entries } = (await admin.get('/api/accounts/audit?limit=2')).body
  t.match(entries, [
    { action: 'report.reopen', actor_id: admin.id, target_id: id, target: 'git', details: { card_id: card } },
    { action: 'report.settle', target_id: id },
  ])
})

t.test('one open report per learner and card', async (t) => {
  const [member, other] = [await service.member(), await service.member()]
  const card = await idOf('Frage eins?')
  const { id } = (await report(member, card, 'erst')).body
  t.equal((await report(member, card, 'dann')).body.id, id)
  await report(other, card, 'auch')
  t.strictSame(
    (await list()).reports.map((one: { text: string }) => one.text),
    ['auch', 'dann'],
  )
  await settle(id)
  const again = (await report(member, card, 'wieder')).body.id
  t.not(again, id)
  const message = 'Zu dieser Karte gibt es schon eine neuere offene Meldung derselben Person'
  t.strictSame((await settle(id, false)).body, errorBody(409, message))
  await settle(again)
  t.equal((await settle(id, false)).status, 200)
})

t.test('refuses invalid reports', async (t) => {
  const member = await service.member()
  const card = await idOf('Frage eins?')
  const invalid = 'Das Feld „text“ enthält unzulässige Zeichen'
  for (const [given, message] of [
    [undefined, 'Das Feld „text“ fehlt'],
    [7, 'Das Feld „text“ muss ein Text sein'],
    [' \n\t ', 'Das Feld „text“ darf nicht leer sein'],
    ['😀'.repeat(1_001), 'Das Feld „text“ darf höchstens 1000 Zeichen haben'],
    ['a\0b', invalid],
    ['\ud800', invalid],
    ['\u001b[31m', invalid],
  ] as const) {
    const { body } = await member.post(`/api/review/cards/${card}/reports`, { text: given })
    t.strictSame(body, errorBody(400, message), JSON.stringify(given) ?? 'nothing')
  }
  t.equal((await report(member, card, `${'😀'.repeat(998)}\n\t `)).status, 200)
  for (const id of [0, -1, 2 ** 31, 2 ** 60]) {
    t.strictSame((await report(member, id)).body, errorBody(404, 'Karte nicht gefunden'))
  }
  const archived = await createCard(db, { deck_id: (await createDeck(db)).id, archived_at: new Date() })
  t.strictSame((await report(member, archived.id)).body, errorBody(404, 'Karte nicht gefunden'))
  t.strictSame(
    (await member.post('/api/review/cards/abc/reports', { text: 'x' })).body,
    errorBody(400, 'Ungültige Karten-ID'),
  )
  t.strictSame(
    (await service.anonymous.post(`/api/review/cards/${card}/reports`)).body,
    errorBody(401, 'Nicht angemeldet'),
  )
  for (const id of [0, 999_999, 2 ** 60])
    t.strictSame((await settle(id)).body, errorBody(404, 'Meldung nicht gefunden'))
  t.strictSame(
    (await admin.patch('/api/content/reports/x', { settled: true })).body,
    errorBody(400, 'Ungültige Meldungs-ID'),
  )
  const { id } = (await report(member, card)).body
  t.strictSame((await admin.patch(`/api/content/reports/${id}`)).body, errorBody(400, 'Das Feld „settled“ fehlt'))
  t.strictSame(await list('?state=alt'), errorBody(400, 'Der Parameter „state“ muss eines von open, settled sein'))
  t.strictSame(await list('?before=x'), errorBody(400, 'Der Parameter „before“ ist ungültig'))
})

t.test('reporting needs the scope learn, settling the scope content', async (t) => {
  const card = await idOf('Frage eins?')
  const callerWith = async (scope: string) => {
    const { token } = (await admin.post('/api/auth/tokens', { name: scope, scopes: [scope] })).body
    return callerOf(service.app, undefined, token)
  }
  const [learner, editor] = [await callerWith('learn'), await callerWith('content')]
  const { id } = (await report(learner, card)).body
  const refused = errorBody(403, 'Der API-Token darf das nicht')
  t.strictSame((await report(editor, card)).body, refused)
  t.strictSame((await learner.get('/api/content/reports')).body, refused)
  t.equal((await editor.get('/api/content/reports')).body.open, 1)
  t.equal((await editor.patch(`/api/content/reports/${id}`, { settled: true })).status, 200)
})

t.test('limits open reports to fifty per learner, also concurrently', async (t) => {
  const [member, other] = [await service.member(), await service.member()]
  const deck = await createDeck(db)
  const cards = []
  for (let index = 0; index < 53; index++) cards.push(await createCard(db, { deck_id: deck.id }))
  const responses = await Promise.all(cards.map(({ id }) => report(member, id)))
  const refused = responses.filter(({ status }) => status === 409)
  t.equal(refused.length, 3)
  const message = 'Es gibt schon 50 offene eigene Meldungen; bitte abwarten, bis einige davon erledigt sind'
  t.strictSame(refused[0]?.body, errorBody(409, message))
  const reported = cards[responses.findIndex(({ status }) => status === 200)]?.id ?? 0
  t.equal((await report(member, reported, 'anders gesagt')).status, 200, 'an open report may be replaced')
  t.equal((await report(other, cards[52]?.id ?? 0)).status, 200)

  t.equal((await list()).reports.length, 50)
  const ids = []
  for (let before = ''; ; ) {
    const { reports, next_before, open } = await list(`?limit=20${before}`)
    t.equal(open, 51)
    ids.push(...reports.map(({ id }: { id: number }) => id))
    if (next_before === null) break
    before = `&before=${next_before}`
  }
  t.equal(ids.length, 51)
  t.strictSame(
    ids,
    [...ids].sort((a, b) => b - a),
  )
  t.match(await list('?limit=20&before=1'), { reports: { length: 0 }, open: 51, next_before: null })
  await db.deleteFrom('decks').where('id', '=', deck.id).execute()
  t.match(await list(), { reports: { length: 0 }, open: 0 }, 'the reports go with the cards')
})

t.test('shows the current place; missing parts are null', async (t) => {
  const member = await service.member()
  const [zwei, join] = [await idOf('Frage zwei?'), await idOf('Was ist ein Join?')]
  const script = await createCard(db, { deck_id: (await createDeck(db)).id })
  for (const id of [script.id, join, zwei]) await report(member, id)
  const places = async () =>
    (await list()).reports.map(({ file, line, card, card_changed }: Record<string, unknown>) => [
      file,
      line,
      (card as { archived: boolean }).archived,
      card_changed,
    ])
  const lines = await places()
  t.strictSame(lines, [
    ['decks/git.md', lineOf('zwei'), false, false],
    ['decks/sql.md', 4, false, false],
    [null, null, false, false],
  ])
  const renamed = deckFile('Git', [
    { id: 'drei' },
    { id: 'deux', aliases: ['zwei'], question: 'Frage zwei?', answer: 'neu' },
  ])
  await changeFiles(folder, { 'decks/git.md': renamed, 'decks/sql.md': null })
  const moved = renamed.split('\n').indexOf('## Frage zwei?') + 1
  t.strictSame(
    (await places()).slice(0, 2),
    [
      ['decks/git.md', moved, false, false],
      [null, null, false, false],
    ],
    'the places before the import of the changed files',
  )
  t.equal((await admin.post('/api/admin/import')).status, 200)
  t.strictSame((await places()).slice(0, 2), [
    ['decks/git.md', moved, false, true],
    [null, null, true, true],
  ])
  await changeFiles(folder, { 'decks/git.md': 'kaputt' })
  t.strictSame((await places())[0], ['decks/git.md', null, false, true])
})

t.test('the text outlives the account, the name does not', async (t) => {
  const member = await service.member()
  const card = await idOf('Frage drei?')
  await report(member, card, 'von mir')
  t.match((await member.get('/api/accounts/me/data')).body.reports, [
    { card_id: card, text: 'von mir', settled_at: null },
  ])
  t.equal((await admin.delete(`/api/admin/users/${member.id}`)).status, 200)
  t.match((await list()).reports, [{ text: 'von mir', by: null }])
})
