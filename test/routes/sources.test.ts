import { sql } from 'kysely'
import t from 'tap'
import { deckFile, writeContentFolder } from '../support/content.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { createCard, createCheatsheet, createDeck, createProgress, createUser, unique } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const folder = await writeContentFolder(t, {
  'decks/git.md': deckFile('Git', [{ id: 'stash' }, { id: 'log' }]),
  'decks/sql.md': deckFile('SQL', [{ id: 'join' }]),
  'cheatsheets/git-befehle.md': '---\ntitle: Git-Befehle\ncategory: Git\n---\n\n# Git-Befehle\n',
})
const service = await startService(t, { config: { contentDir: folder } })
const { db, anonymous } = service
const admin = await service.admin()
const learner = await service.member()
await admin.post('/api/admin/import')

const URL = '/api/content/sources'
const NOT_AN_EDITOR = errorBody(403, 'Diese Quelle bearbeiten nur ihre Redaktion und Administratoren')
const DONE = { ok: true }

const put = (caller: Caller, url: string) => caller.send({ method: 'PUT', url })
const editorsOf = async (id: number, caller: Caller = admin) => {
  const { body } = await caller.get(`${URL}/${id}/editors`)
  return body.editors.map(({ username }: { username: string }) => username)
}
const auditOf = async (id: number) => {
  const { entries } = (await admin.get('/api/accounts/audit')).body
  return entries
    .filter(({ action, target_id }: { action: string; target_id: number }) => {
      return /^(source|editor)\./.test(action) && target_id === id
    })
    .map(({ action, target, details }: Record<string, unknown>) => [action, target, details])
    .reverse()
}

t.test('an author creates a source and becomes its editor', async (t) => {
  const author = await createEditor(service)
  t.strictSame((await author.get(URL)).body, { sources: [] })
  const { status, body } = await author.post(URL, { name: '  Werkstatt\u0308 ' })
  t.equal(status, 200)
  const { id } = body.source
  t.strictSame(body, { source: { id, kind: 'written', name: 'Werkstatẗ' } })
  t.match((await author.get(URL)).body, {
    sources: [{ id, kind: 'written', file_name: null, decks: 0, cards: 0, size_bytes: 0, created_by: author.username }],
  })
  t.strictSame((await author.get(`${URL}/${id}/editors`)).body, {
    editors: [{ id: author.id, username: author.username, display_name: 'Erika Muster' }],
  })
  const other = await createEditor(service, await createSource(db))
  t.equal((await other.get(URL)).body.sources.length, 1, 'other authors see only their sources')
  t.ok((await admin.get(URL)).body.sources.length >= 2, 'administrators see all')

  t.strictSame((await author.patch(`${URL}/${id}`, { name: 'Halle' })).body, {
    source: { id, kind: 'written', name: 'Halle' },
  })
  t.equal((await author.patch(`${URL}/${id}`, { name: 'Halle' })).status, 200, 'a repeated request changes nothing')
  t.strictSame(await auditOf(id), [
    ['source.create', 'Werkstatẗ', null],
    ['source.rename', 'Halle', { from: 'Werkstatẗ' }],
  ])
})

t.test('refuses a wrong name or id', async (t) => {
  const id = await createSource(db)
  const editor = await createEditor(service, id)
  for (const [name, message] of [
    [undefined, 'Das Feld „name“ fehlt'],
    [7, 'Das Feld „name“ muss ein Text sein'],
    [' ', 'Das Feld „name“ darf nicht leer sein'],
    ['x'.repeat(201), 'Das Feld „name“ darf höchstens 200 Zeichen haben'],
    ['a\nb', 'Das Feld „name“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten'],
  ]) {
    t.strictSame((await editor.post(URL, { name })).body, errorBody(400, String(message)))
    t.strictSame((await editor.patch(`${URL}/${id}`, { name })).body, errorBody(400, String(message)))
  }
  for (const caller of [editor, admin]) {
    t.strictSame((await caller.patch(`${URL}/x`, { name: 'a' })).body, errorBody(400, 'Ungültige Quellen-ID'))
    for (const unknown of [0, 999_999, 2 ** 40]) {
      const { body } = await caller.patch(`${URL}/${unknown}`, { name: 'a' })
      t.strictSame(body, errorBody(404, 'Quelle nicht gefunden'))
    }
  }
})

t.test('authorizes before it reads the body', async (t) => {
  const id = await createSource(db)
  const stranger = await createEditor(service, await createSource(db))
  const broken = { headers: { 'content-type': 'application/json' }, payload: '{' }
  const send = (caller: Caller) => caller.send({ method: 'PATCH', url: `${URL}/${id}`, ...broken })
  t.strictSame((await send(anonymous)).body, errorBody(401, 'Nicht angemeldet'))
  t.strictSame((await send(learner)).body, errorBody(403, 'Dafür braucht dein Konto Autorenrechte'))
  t.strictSame((await send(stranger)).body, NOT_AN_EDITOR)
  t.equal((await send(admin)).status, 400)
})

t.test('editors add and remove editors by exact name', async (t) => {
  const id = await createSource(db, { name: 'Werkstatt' })
  const editor = await createEditor(service, id)
  const colleague = await createEditor(service)
  t.equal((await colleague.get(`${URL}/${id}/editors`)).status, 403)
  const url = (username: string) => `${URL}/${id}/editors/${encodeURIComponent(username)}`
  t.strictSame((await put(editor, url(colleague.username))).body, DONE)
  t.strictSame((await put(editor, url(colleague.username))).body, DONE)
  t.strictSame(await editorsOf(id, colleague), [colleague.username, editor.username].sort())
  t.strictSame((await colleague.delete(url(editor.username))).body, DONE)
  t.strictSame((await colleague.delete(url(editor.username))).body, DONE, 'removing a user that is not an editor')
  t.strictSame((await editor.get(`${URL}/${id}/editors`)).body, NOT_AN_EDITOR, 'it takes effect with the next request')
  t.strictSame(await auditOf(id), [
    ['editor.add', 'Werkstatt', { username: colleague.username }],
    ['editor.remove', 'Werkstatt', { username: editor.username }],
  ])
})

t.test('only users who may write become editors', async (t) => {
  const id = await createSource(db)
  const editor = await createEditor(service, id)
  const { username } = await createUser(db, { username: unique('a/b ü') })
  const url = `${URL}/${id}/editors/${encodeURIComponent(username)}`
  const message = 'Zur Redaktion gehört nur, wer Inhalte schreiben darf; Administratoren können das erlauben'
  for (const caller of [editor, admin]) t.strictSame((await put(caller, url)).body, errorBody(409, message))
  await db.updateTable('users').set({ is_author: true }).where('username', '=', username).execute()
  t.strictSame((await put(editor, url)).body, DONE)
  const chief = await createUser(db, { is_admin: true })
  t.strictSame((await put(editor, `${URL}/${id}/editors/${chief.username}`)).body, DONE)
  for (const name of ['niemand', username.toUpperCase(), 'x'.repeat(200), 'a\0']) {
    const path = `${URL}/${id}/editors/${encodeURIComponent(name)}`
    const responses = [await put(editor, path), await editor.delete(path)]
    for (const { body } of responses) t.strictSame(body, errorBody(404, 'Benutzer nicht gefunden'), name)
  }
})

t.test('the last editor who may write is removed by administrators only', async (t) => {
  const id = await createSource(db)
  const editor = await createEditor(service, id)
  const former = await createEditor(service, id)
  await db.updateTable('users').set({ is_author: false }).where('id', '=', former.id).execute()
  const url = `${URL}/${id}/editors/${editor.username}`
  const refused = errorBody(409, 'Jemand muss die Quelle bearbeiten; zuerst jemand anderen in die Redaktion aufnehmen')
  t.strictSame((await editor.delete(url)).body, refused)
  t.equal((await editorsOf(id)).length, 2)
  t.strictSame((await editor.delete(`${URL}/${id}/editors/${former.username}`)).body, DONE)
  t.strictSame((await admin.delete(url)).body, DONE)
  t.strictSame(await editorsOf(id), [])

  const pair = [await createEditor(service, id), await createEditor(service, id)] as const
  const responses = await Promise.all([
    pair[0].delete(`${URL}/${id}/editors/${pair[1].username}`),
    pair[1].delete(`${URL}/${id}/editors/${pair[0].username}`),
  ])
  t.equal((await editorsOf(id)).length, 1, 'of two editors who remove each other, one remains')
  t.equal(responses.filter(({ status }) => status === 200).length, 1)
})

t.test('an editor without the author right has no access; the row stays for its return', async (t) => {
  const id = await createSource(db)
  const editor = await createEditor(service, id)
  const set = (is_author: boolean) => admin.patch(`/api/accounts/${editor.id}`, { is_author })
  await set(false)
  t.equal((await editor.get(URL)).status, 403)
  t.equal((await editor.patch(`${URL}/${id}`, { name: 'x' })).status, 403)
  await set(true)
  t.equal((await editor.patch(`${URL}/${id}`, { name: 'x' })).status, 200)
  await admin.delete(`/api/admin/users/${editor.id}`)
  t.strictSame(await editorsOf(id), [], 'no editor is left')
})

/**
 * Creates a source with a sheet, an archived deck, and a deck of three cards and a draft. The last of the three cards
 * is archived.
 */
async function createContent() {
  const id = await createSource(db)
  const archived_at = new Date('2026-01-01')
  const own = async (deck: { id: number; slug: string }) => {
    await db.insertInto('imported_decks').values({ deck_id: deck.id, source_id: id, source_key: deck.slug }).execute()
    return deck
  }
  const deck = await own(await createDeck(db))
  const old = await own(await createDeck(db, { archived_at }))
  const cards = []
  for (const values of [{}, {}, { archived_at }]) {
    const card = await createCard(db, { deck_id: deck.id, ...values })
    await db
      .insertInto('imported_cards')
      .values({ card_id: card.id, deck_id: deck.id, key: `k${card.id}` })
      .execute()
    cards.push(card.id)
  }
  const draft = await createCard(db, { deck_id: deck.id, archived_at: new Date() })
  await db
    .insertInto('imported_cards')
    .values({ card_id: draft.id, deck_id: deck.id, key: 'entwurf', draft: true })
    .execute()
  const sheet = await createCheatsheet(db)
  await db
    .insertInto('imported_cheatsheets')
    .values({ cheatsheet_id: sheet.id, source_id: id, source_key: sheet.slug })
    .execute()
  return { id, deck, old, cards, draft: draft.id, sheet }
}

t.test('editors archive and restore a source; progress and previously archived cards stay', async (t) => {
  const { id, deck, old, cards, draft, sheet } = await createContent()
  const editor = await createEditor(service, id)
  await createProgress(db, { user_id: learner.id, card_id: cards[0] as number, last_rating: 'easy' })
  const live = async () => ({
    decks: (await db.selectFrom('decks').select('slug').where('archived_at', 'is', null).execute())
      .map(({ slug }) => slug)
      .filter((slug) => [deck.slug, old.slug].includes(slug)),
    cards: (
      await db
        .selectFrom('cards')
        .select('id')
        .where('archived_at', 'is', null)
        .where('id', 'in', [...cards, draft])
        .orderBy('id')
        .execute()
    ).map((card) => card.id),
    sheet: (await learner.get(`/api/cheatsheets/${sheet.slug}`)).status,
  })
  const before = await live()
  t.strictSame(before, { decks: [deck.slug], cards: cards.slice(0, 2), sheet: 200 })
  t.strictSame((await editor.delete(`${URL}/${id}`)).body, DONE)
  t.strictSame(await live(), { decks: [], cards: [], sheet: 404 })
  t.match((await editor.get(URL)).body.sources, [{ id, archived_at: /Z$/ }])
  t.strictSame((await editor.post(`${URL}/${id}/restore`)).body, DONE)
  t.strictSame(await live(), before)
  t.match((await editor.get(URL)).body.sources, [{ id, archived_at: null }])
  t.strictSame((await editor.post(`${URL}/${id}/restore`)).body, DONE, 'a repeated request changes nothing')
  t.strictSame(await live(), before)
  const progress = await db
    .selectFrom('card_progress')
    .select('last_rating')
    .where('user_id', '=', learner.id)
    .execute()
  t.strictSame(progress, [{ last_rating: 'easy' }])
  t.match(await auditOf(id), [['source.archive'], ['source.restore'], ['source.restore']])
})

t.test('drafts and pools return with their source, except those archived before', async (t) => {
  const source = await createSource(db)
  const editor = await createEditor(service, source)
  const deck = await writeDeck(editor, source)
  const pools: string[] = []
  const drafts: number[] = []
  const sheets: string[] = []
  for (const title of ['Eins', 'Zwei']) {
    pools.push(await writeDeck(editor, source, { tests_only: true }))
    drafts.push((await writeCard(editor, deck, { draft: true })).id)
    const sheet = { source_id: source, title, category: 'Git', content_md: '# A\n', client_id: unique('client') }
    sheets.push((await editor.post('/api/content/sheets', { ...sheet, draft: true })).body.sheet.slug)
  }
  const state = async () => {
    const { decks } = (await editor.get(`/api/content/decks?source=${source}`)).body
    const archived = async (url: string, key: string) => (await editor.get(url)).body[key].archived_at !== null
    return {
      pools: pools.map((slug) => decks.find((row: { slug: string }) => row.slug === slug).archived_at !== null),
      drafts: await Promise.all(drafts.map((id) => archived(`/api/content/cards/${id}`, 'card'))),
      sheets: await Promise.all(sheets.map((slug) => archived(`/api/content/sheets/${slug}`, 'sheet'))),
    }
  }
  t.match(await editor.patch(`/api/content/decks/${pools[1]}`, { archived: true }), { status: 200 })
  t.match(await editor.patch(`/api/content/cards/${drafts[1]}`, { version: 1, archived: true }), { status: 200 })
  t.match(await editor.patch(`/api/content/sheets/${sheets[1]}`, { archived: true }), { status: 200 })
  const before = { pools: [false, true], drafts: [false, true], sheets: [false, true] }
  t.strictSame(await state(), before)

  t.strictSame((await editor.delete(`${URL}/${source}`)).body, DONE)
  t.strictSame(await state(), { pools: [true, true], drafts: [true, true], sheets: [true, true] })
  t.strictSame((await editor.post(`${URL}/${source}/restore`)).body, DONE)
  t.strictSame(await state(), before)
  const live = db.selectFrom('cards').select('id').where('id', 'in', drafts).where('archived_at', 'is', null)
  t.strictSame(await live.execute(), [], 'a restored draft stays hidden from learners')
  for (const slug of pools) t.equal((await learner.get(`/api/decks/${slug}`)).status, 404)
})

t.test('only administrators purge, release and adopt', async (t) => {
  const { id, deck } = await createContent()
  const editor = await createEditor(service, id)
  const refused = errorBody(403, 'Administratorrechte erforderlich')
  t.strictSame((await editor.delete(`${URL}/${id}?purge=true`)).body, refused)
  t.strictSame((await editor.post(`${URL}/${id}/release`)).body, refused)
  t.strictSame((await editor.post(`${URL}/${id}/adopt`, { deck: 'git' })).body, refused)
  t.strictSame((await admin.delete(`${URL}/${id}?purge=true`)).body, DONE)
  t.strictSame(await db.selectFrom('decks').select('id').where('id', '=', deck.id).execute(), [])
})

t.test('versions keep their authors when the source is released', async (t) => {
  const source = await createSource(db)
  const editor = await createEditor(service, source)
  const deck = await writeDeck(editor, source)
  const { id } = await writeCard(editor, deck)
  t.match(await editor.patch(`/api/content/cards/${id}`, { version: 1, answer: 'Besser' }), { status: 200 })
  const versions = `/api/content/cards/${id}/versions`
  const before = (await editor.get(versions)).body
  t.match(before.versions, [
    { version: 2, changed_by: editor.username, how: 'edit' },
    { version: 1, changed_by: editor.username, how: 'create' },
  ])
  t.strictSame((await admin.post(`${URL}/${source}/release`)).body, DONE)
  t.strictSame((await admin.get(versions)).body, before)
  t.equal((await editor.get(versions)).status, 403)
  t.match((await admin.get('/api/content/changes')).body.changes, [
    { source: null, by: editor.username, how: 'edit', card_id: id },
    { source: null, by: editor.username, how: 'create', card_id: id },
  ])
})

t.test('a pool stays hidden when its source is released and when another source adopts it', async (t) => {
  const [source, other] = [await createSource(db), await createSource(db)]
  const editor = await createEditor(service, source, other)
  const pool = await writeDeck(editor, source, { tests_only: true })
  const card = await writeCard(editor, pool, { question: 'Geheim?' })
  const isHidden = async (moment: string) => {
    t.strictSame(
      (await learner.get(`/api/review/cards/${card.id}`)).body,
      errorBody(404, 'Karte nicht gefunden'),
      moment,
    )
    t.equal((await learner.get(`/api/decks/${pool}`)).status, 404, moment)
    const { decks } = (await admin.get('/api/content/decks')).body
    t.match(
      decks.find(({ slug }: { slug: string }) => slug === pool),
      { tests_only: true, archived_at: null, cards: 1 },
      moment,
    )
  }
  await isHidden('before')
  t.strictSame((await admin.post(`${URL}/${source}/release`)).body, DONE)
  await isHidden('released')
  t.match((await admin.post('/api/admin/import')).body.stats, { decks: { archived: 0 }, cards: { archived: 0 } })
  await isHidden('imported')
  t.strictSame((await admin.post(`${URL}/${other}/adopt`, { deck: pool })).body, DONE)
  await isHidden('adopted')
  t.match((await editor.get(`/api/content/decks?source=${other}`)).body.decks, [{ slug: pool, tests_only: true }])
})

t.test('a purge deletes the changes of the source, except those of moved texts', async (t) => {
  const [source, other] = [await createSource(db), await createSource(db)]
  const editor = await createEditor(service, source, other)
  const [deck, target] = [await writeDeck(editor, source), await writeDeck(editor, other)]
  const [gone, moved] = [await writeCard(editor, deck), await writeCard(editor, deck)]
  for (const { id } of [gone, moved]) {
    t.match(await editor.patch(`/api/content/cards/${id}`, { version: 1, answer: 'Besser' }), { status: 200 })
  }
  t.match(await editor.patch(`/api/content/cards/${moved.id}`, { deck: target }), { status: 200 })
  const changes = () =>
    db.selectFrom('content_changes').select('source_id').where('user_id', '=', editor.id).orderBy('id').execute()
  t.equal((await changes()).length, 5)
  t.strictSame((await admin.delete(`${URL}/${source}?purge=true`)).body, DONE)
  t.equal((await changes()).length, 3)
  t.match((await editor.get(`/api/content/cards/${moved.id}/versions`)).body.versions, [
    { version: 2, changed_by: editor.username },
    { version: 1, changed_by: editor.username },
  ])
})

const adopt = (id: number, body: object) => admin.post(`${URL}/${id}/adopt`, body)

t.test('an administrator moves a deck of the folder into a source, with identities and progress', async (t) => {
  const { source } = (await admin.post(URL, { name: 'Git im Browser' })).body
  const editor = await createEditor(service, source.id)
  const cardsOf = () =>
    sql<{ id: number; key: string }>`
      select cards.id, key, question, cards.archived_at from cards join decks on decks.id = cards.deck_id
      join imported_cards on card_id = cards.id and imported_cards.deck_id = decks.id
      where slug = 'git' order by cards.id`
      .execute(db)
      .then(({ rows }) => rows)
  const before = await cardsOf()
  const byScript = await createCard(db, { deck_id: await deckIdOf('git') })
  const first = before[0] as { id: number }
  await createProgress(db, { user_id: learner.id, card_id: first.id, last_rating: 'easy' })

  t.strictSame((await adopt(source.id, { deck: 'git' })).body, DONE)
  const after = await cardsOf()
  t.strictSame(after.slice(0, 2), before)
  t.match(after.slice(2), [{ id: byScript.id, key: `karte-${byScript.id}` }], 'a card created by a script moves too')
  t.match((await editor.get(URL)).body.sources, [{ id: source.id, decks: 1, cards: 3 }])

  const imported = await admin.post('/api/admin/import')
  t.equal(imported.status, 200)
  t.match(imported.body.stats, { cards: { updated: 0, archived: 0 }, decks: { archived: 0 } })
  t.match(imported.body.stats.warnings, [{ file: 'decks/git.md', message: /gehört der Quelle „Git im Browser“/ }])
  t.strictSame(await cardsOf(), after, 'an import of the folder changes nothing')
  const progress = db.selectFrom('card_progress').select('last_rating').where('card_id', '=', first.id)
  t.strictSame(await progress.execute(), [{ last_rating: 'easy' }])
  t.match(await auditOf(source.id), [['source.create'], ['source.adopt', 'Git im Browser', { deck: 'git' }]])
  const changes = await db.selectFrom('content_changes').selectAll().where('source_id', '=', source.id).execute()
  t.match(changes, [{ how: 'adopt', user_id: admin.id, summary: { deck: 'git' } }])
})

t.test('moves a sheet of the folder and decks and sheets of scripts', async (t) => {
  const id = await createSource(db, { name: 'Ohne Ordner' })
  const [deck, sheet] = [await createDeck(db), await createCheatsheet(db)]
  for (const item of [{ sheet: 'git-befehle' }, { deck: deck.slug }, { sheet: sheet.slug }]) {
    t.strictSame((await adopt(id, item)).body, DONE)
  }
  const { body } = await admin.post('/api/admin/import')
  t.match(body.stats.warnings, [{ file: 'cheatsheets/git-befehle.md' }, { file: 'decks/git.md' }])
  t.equal((await learner.get('/api/cheatsheets/git-befehle')).status, 200)
  t.equal((await learner.get(`/api/cheatsheets/${sheet.slug}`)).status, 200)
})

t.test('refuses to adopt into an uploaded source, content of another source, and unknown content', async (t) => {
  const [written, uploaded] = [await createSource(db), await createSource(db, { kind: 'anki' })]
  const { deck, sheet } = await createContent()
  for (const [id, body, status, message] of [
    [uploaded, { deck: 'sql' }, 409, 'Übernehmen kann das nur eine Quelle, die im Browser geschrieben wird'],
    [written, { deck: deck.slug }, 409, 'Das gehört schon einer Quelle'],
    [written, { sheet: sheet.slug }, 409, 'Das gehört schon einer Quelle'],
    [written, { deck: 'fehlt' }, 404, 'Deck nicht gefunden'],
    [written, { sheet: 'a\0' }, 404, 'Cheat Sheet nicht gefunden'],
    [999_999, { deck: 'sql' }, 404, 'Quelle nicht gefunden'],
    [written, {}, 400, 'Genau eines der Felder „deck“ und „sheet“ ist nötig'],
    [written, { deck: 'sql', sheet: 'x' }, 400, 'Genau eines der Felder „deck“ und „sheet“ ist nötig'],
  ] as const) {
    t.strictSame((await adopt(id, body)).body, errorBody(status, message))
  }
})

t.test('an author uploads and becomes editor; sources of others are neither updated nor named', async (t) => {
  const author = await createEditor(service)
  const stranger = await createEditor(service)
  const send = (caller: Caller, query: string) => {
    const headers = { 'content-type': 'application/octet-stream' }
    return caller.post(`/api/content/imports?${query}`, Buffer.from('id;Frage;Antwort\n1;Was?;Das\n'), { headers })
  }
  t.equal((await send(learner, 'name=Netz.csv')).status, 403)
  const { source } = (await send(author, 'name=Netz.csv')).body
  t.match(source, { id: Number, kind: 'table', name: 'Netz' })
  t.strictSame(await editorsOf(source.id, author), [author.username])
  t.match((await send(author, 'name=Netz.csv')).body, { statusCode: 409 }, "the author's source of this name is found")
  t.match((await send(author, `source=${source.id}`)).body, { source, stats: { cards: { unchanged: 1 } } })

  t.strictSame((await send(stranger, `source=${source.id}`)).body, NOT_AN_EDITOR)
  t.strictSame((await send(stranger, 'source=999999')).body, errorBody(404, 'Quelle nicht gefunden'))
  t.match(await send(stranger, 'source=x'), { status: 400 })
  const both = errorBody(400, 'Die Parameter „source“ und „new“ schließen sich aus')
  t.strictSame((await send(author, `source=${source.id}&new=true`)).body, both)
  const check = (await send(stranger, 'name=Netz.csv&check=true')).body
  t.match(check, { source: { id: null }, existing: null, stats: { cards: { created: 1 } } })
  const second = (await send(stranger, 'name=Netz.csv')).body.source
  t.not(second.id, source.id)
  t.strictSame(await editorsOf(second.id), [stranger.username])
})

t.test('editors see and settle the reports of their sources', async (t) => {
  const { id, cards, deck } = await createContent()
  const editor = await createEditor(service, id)
  const stranger = await createEditor(service, await createSource(db))
  const report = async (card: number) =>
    (await learner.post(`/api/review/cards/${card}/reports`, { text: 'x' })).body.id
  const [own, foreign] = [await report(cards[0] as number), await report(await cardIdOf('sql'))]
  const list = async (caller: Caller) => {
    const { reports, open } = (await caller.get('/api/content/reports')).body
    return [reports.map((one: { id: number }) => one.id), open]
  }
  t.strictSame(await list(editor), [[own], 1])
  t.strictSame(await list(stranger), [[], 0])
  t.strictSame(await list(admin), [[foreign, own], 2])
  const settle = (caller: Caller, report: number) => caller.patch(`/api/content/reports/${report}`, { settled: true })
  t.match((await settle(editor, own)).body, {
    id: own,
    card: { deck: { slug: deck.slug } },
    settled_by: editor.username,
  })
  for (const [caller, id] of [
    [editor, foreign],
    [stranger, own],
  ] as const) {
    t.strictSame((await settle(caller, id)).body, NOT_AN_EDITOR)
  }
  t.equal((await learner.get('/api/content/reports')).status, 403)
})

async function deckIdOf(slug: string): Promise<number> {
  return (await db.selectFrom('decks').select('id').where('slug', '=', slug).executeTakeFirstOrThrow()).id
}

async function cardIdOf(slug: string): Promise<number> {
  const deck_id = await deckIdOf(slug)
  return (await db.selectFrom('cards').select('id').where('deck_id', '=', deck_id).executeTakeFirstOrThrow()).id
}
