import { sql } from 'kysely'
import t from 'tap'
import { startBehindLock, waitUntilBlocked } from '../support/database.js'
import { createEditor, createSource } from '../support/editing.js'
import { createCheatsheet, unique } from '../support/factories.js'
import { type Caller, callerOf, errorBody, type ServiceResponse, startService } from '../support/service.js'
import { until } from '../support/until.js'

const service = await startService(t)
const { db } = service
const admin = await service.admin()
const source = await createSource(db, { name: 'Werkstatt' })
const editor = await createEditor(service, source)
const stranger = await createEditor(service, await createSource(db))
const learner = await service.member()

const URL = '/api/content/sheets'
const sheetOf = (overrides: object = {}) => ({
  source_id: source,
  title: 'Git Log',
  category: 'Git',
  content_md: '# Git Log\n',
  client_id: unique('client'),
  ...overrides,
})
const create = async (overrides: object = {}, caller: Caller = editor) => {
  const { status, body } = await caller.post(URL, sheetOf(overrides))
  if (status !== 200) throw new Error(body.message)
  return body.sheet
}
const countChanges = async () => (await db.selectFrom('content_changes').select('id').execute()).length

t.test('an editor writes a sheet, and learners read it', async (t) => {
  const sheet = await create({ title: '  Häufige Befehle ', content_md: '# Befehle\r\na\u0308\r\n' })
  t.match(sheet, {
    slug: 'haeufige-befehle',
    title: 'Häufige Befehle',
    category: 'Git',
    content_md: '# Befehle\nä\n',
    version: 1,
    draft: false,
    archived: false,
    archived_at: null,
    changed_here: false,
    source: { id: source, kind: 'written', name: 'Werkstatt' },
  })
  t.match((await learner.get(`/api/cheatsheets/${sheet.slug}`)).body, { cheatsheet: { content_md: '# Befehle\nä\n' } })
  t.strictSame((await editor.get(`${URL}/${sheet.slug}`)).body, { sheet })
  await until(async () => (await learner.get('/api/search?q=Befehle')).body.results[0]?.slug === sheet.slug)
})

t.test('slugs are unique, avoid reserved ones, and exist even for a title without letters', async (t) => {
  const title = unique('Titel')
  const first = await create({ title })
  const second = await create({ title })
  t.equal(first.slug, title.toLowerCase())
  t.equal(second.slug, `${first.slug}-2`)
  t.equal((await create({ title: 'Search' })).slug, 'search-2')
  t.match((await create({ title: '🙂' })).slug, /^spickzettel/)
  const both = await Promise.all(['x', 'y'].map(() => create({ title: `${title} zugleich` })))
  t.equal(new Set(both.map(({ slug }) => slug)).size, 2, 'two at the same time')
})

t.test('a repeated creation returns the same sheet in its current state', async (t) => {
  const client_id = unique('client')
  const title = unique('Wiederholt')
  const both = await Promise.all([create({ client_id, title }), create({ client_id, title })])
  t.equal(both[0].id, both[1].id)
  await editor.patch(`${URL}/${both[0].slug}`, { version: 1, content_md: 'neu' })
  t.match(await create({ client_id, title }), { id: both[0].id, version: 2, content_md: 'neu' })
  const elsewhere = sheetOf({ client_id, source_id: await createSource(db) })
  t.strictSame(
    (await stranger.post(URL, { ...elsewhere, source_id: (await ownSource(stranger)) as number })).body,
    errorBody(409, 'Diese „client_id“ ist schon vergeben'),
  )
})

async function ownSource(caller: { id?: number }): Promise<number | undefined> {
  const row = await db
    .selectFrom('source_editors')
    .select('source_id')
    .where('user_id', '=', caller.id as number)
    .executeTakeFirst()
  return row?.source_id
}

t.test('a save creates a version; a save based on another version writes nothing', async (t) => {
  const { slug, id } = await create({ title: unique('Fassungen') })
  const second = await editor.patch(`${URL}/${slug}`, { version: 1, content_md: 'zwei' })
  t.match(second.body, { sheet: { version: 2, content_md: 'zwei', title: /Fassungen/ } })
  const outdated = await editor.patch(`${URL}/${slug}`, { version: 1, content_md: 'drei' })
  t.strictSame(outdated.body, errorBody(409, 'Inzwischen geändert'))
  t.equal(outdated.headers['x-error-code'], 'version_outdated')
  t.equal((await editor.get(`${URL}/${slug}`)).body.sheet.content_md, 'zwei')

  const before = await countChanges()
  t.match((await editor.patch(`${URL}/${slug}`, { version: 2, content_md: 'zwei' })).body.sheet, {
    version: 2,
  })
  t.equal(await countChanges(), before, 'a save of the same text creates no version')
  t.equal((await editor.patch(`${URL}/${slug}`, {})).status, 200)
  t.strictSame(
    (await editor.patch(`${URL}/${slug}`, { content_md: 'x' })).body,
    errorBody(400, 'Das Feld „version“ fehlt'),
  )

  const response = await editor.get(`${URL}/${slug}/versions`)
  t.match(response.body, {
    versions: [
      { version: 2, changed_by: editor.username, how: 'edit', content_md: 'zwei' },
      { version: 1, changed_by: editor.username, how: 'create', content_md: '# Git Log\n' },
    ],
    next_before: null,
  })
  const restored = await admin.post(`${URL}/${slug}/versions/1/restore`, { version: 2 })
  t.match(restored.body.sheet, { version: 3, content_md: '# Git Log\n' })
  t.strictSame(
    (await admin.post(`${URL}/${slug}/versions/1/restore`, { version: 2 })).body.message,
    'Inzwischen geändert',
  )
  t.match((await editor.get(`${URL}/${slug}/versions?limit=1`)).body, {
    versions: [{ version: 3, how: 'restore' }],
    next_before: 3,
  })
  t.match((await editor.get(`${URL}/${slug}/versions?before=3&limit=1`)).body, { versions: [{ version: 2 }] })
  for (const [version, status] of [
    ['4', 404],
    ['0', 404],
    ['x', 400],
    ['99999999999', 404],
  ] as const) {
    t.equal((await editor.post(`${URL}/${slug}/versions/${version}/restore`)).status, status, version)
  }
  const items = await db
    .selectFrom('content_change_items')
    .select(['before', 'after'])
    .where('cheatsheet_id', '=', id)
    .orderBy('id')
    .execute()
  t.strictSame(
    items.map(({ before, after }) => [before?.version ?? null, after.version]),
    [
      [null, 1],
      [1, 2],
      [2, 3],
    ],
  )
})

t.test('keeps the first version and the latest fifty, all with their author', async (t) => {
  const { slug } = await create({ title: unique('Viele') })
  for (let version = 1; version <= 53; version++) {
    const { status } = await editor.patch(`${URL}/${slug}`, { version, content_md: `Text ${version + 1}` })
    t.equal(status, 200)
  }
  const first = (await editor.get(`${URL}/${slug}/versions?limit=30`)).body
  const rest = (await editor.get(`${URL}/${slug}/versions?before=${first.next_before}`)).body
  const versions = [...first.versions, ...rest.versions]
  t.equal(rest.next_before, null)
  t.strictSame(
    versions.map(({ version }: { version: number }) => version),
    [...Array.from({ length: 51 }, (_, index) => 54 - index), 1],
  )
  t.ok(versions.every(({ changed_by, how }) => changed_by === editor.username && (how === 'edit' || how === 'create')))
})

t.test('a page of versions is limited by the size of its texts', async (t) => {
  const { slug } = await create({ title: unique('Lang') })
  for (let version = 1; version <= 3; version++) {
    const text = sql<string>`repeat(${String(version)}, 1900000)`
    await db.updateTable('cheatsheets').set({ content_md: text }).where('slug', '=', slug).execute()
  }
  const { versions, next_before } = (await editor.get(`${URL}/${slug}/versions`)).body
  t.equal(versions.length, 3)
  t.match((await editor.get(`${URL}/${slug}/versions?before=${next_before}`)).body.versions, [{ version: 1 }])
})

t.test('drafts and archived sheets are hidden from learners until published or restored', async (t) => {
  const { slug } = await create({ title: unique('Entwurf'), draft: true })
  const isVisible = async () => (await learner.get(`/api/cheatsheets/${slug}`)).status === 200
  const change = async (body: object) => (await editor.patch(`${URL}/${slug}`, body)).body.sheet
  t.notOk(await isVisible())
  t.match(await change({ archived: true }), { draft: true, archived: true, version: 1, archived_at: /Z$/ })
  t.match(await change({ draft: false }), { draft: false, archived: true })
  t.notOk(await isVisible())
  t.match(await change({ archived: false }), { draft: false, archived: false, archived_at: null })
  t.ok(await isVisible())
  t.match(await change({ draft: true, version: 1, content_md: 'Neu' }), { draft: true, archived_at: null, version: 2 })
  t.notOk(await isVisible())
  t.equal((await editor.patch(`${URL}/${slug}`, { version: 1, archived: true })).status, 409)
})

t.test('lists the sheets that the caller may edit, filtered and in pages', async (t) => {
  const own = await createSource(db)
  const author = await createEditor(service, own)
  const titles = ['Zebra', 'Äpfel', 'Birne'].map((title) => `${title} ${unique('x')}`)
  for (const title of titles) await create({ source_id: own, title, category: 'Liste' }, author)
  const slugOf = (title: string | undefined) => (title ?? '').toLowerCase().replace('ä', 'ae').replace(' ', '-')
  await author.patch(`${URL}/${slugOf(titles[0])}`, { archived: true })
  await author.patch(`${URL}/${slugOf(titles[2])}`, { draft: true })
  const list = async (query = '', caller: Caller = author) => (await caller.get(`${URL}${query}`)).body
  const titlesOf = ({ sheets }: ServiceResponse['body']) => sheets.map(({ title }: { title: string }) => title)
  t.strictSame(titlesOf(await list()), [titles[1], titles[2], titles[0]])
  t.strictSame(titlesOf(await list('?state=live')), [titles[1]])
  t.strictSame(titlesOf(await list('?state=draft')), [titles[2]])
  t.strictSame(titlesOf(await list('?state=archived')), [titles[0]])
  t.strictSame(titlesOf(await list('?q=%C3%84PFEL')), [titles[1]])
  t.strictSame(titlesOf(await list(`?source=${source}`)), [])
  t.strictSame(titlesOf(await list(`?source=${own}`, admin)), titlesOf(await list()))
  const first = await list('?limit=2')
  t.strictSame(titlesOf(first), [titles[1], titles[2]])
  t.strictSame(titlesOf(await list(`?limit=2&after=${first.next_after}`)), [titles[0]])
  for (const key of ['source', 'after']) {
    t.strictSame(await list(`?${key}=99999999999`), { sheets: [], next_after: null }, "an id out of the column's range")
  }
  t.notOk('content_md' in first.sheets[0])
  const folder = await createCheatsheet(db, { title: unique('Ordner') })
  t.match(await list(`?q=${encodeURIComponent(folder.title)}`, admin), { sheets: [{ source: null, version: 1 }] })
})

t.test('refuses invalid input and leaves the sheet as it is', async (t) => {
  const { slug } = await create({ title: unique('Prüfung') })
  const bad = 'enthält unzulässige Zeichen'
  for (const [change, message] of [
    [{ title: '  ' }, 'Das Feld „title“ darf nicht leer sein'],
    [{ title: 'x'.repeat(201) }, 'Das Feld „title“ darf höchstens 200 Zeichen haben'],
    [{ title: 'a\tb' }, 'Das Feld „title“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten'],
    [{ category: 'a\0b' }, `Das Feld „category“ ${bad}`],
    [{ category: '' }, 'Das Feld „category“ darf nicht leer sein'],
    [{ content_md: '\ud800' }, `Das Feld „content_md“ ${bad}`],
    [{ content_md: 'a\0' }, `Das Feld „content_md“ ${bad}`],
    [{ content_md: ' \n' }, 'Das Feld „content_md“ darf nicht leer sein'],
    [{ content_md: 7 }, 'Das Feld „content_md“ muss ein Text sein'],
  ] as const) {
    t.strictSame((await editor.patch(`${URL}/${slug}`, { version: 1, ...change })).body, errorBody(400, message))
    t.strictSame((await editor.post(URL, sheetOf(change))).body, errorBody(400, message))
  }
  t.strictSame(
    (await editor.post(URL, sheetOf({ client_id: '\0' }))).body,
    errorBody(400, `Das Feld „client_id“ ${bad}`),
  )
  t.strictSame(
    (await editor.patch(`${URL}/${slug}`, { version: 1, content_md: 'x'.repeat(2 * 2 ** 20) })).body,
    errorBody(413, 'Anfrage zu groß'),
  )
  t.equal((await editor.get(`${URL}/${slug}`)).body.sheet.version, 1)
})

t.test('only editors of the source read and write its sheets', async (t) => {
  const { slug } = await create({ title: unique('Rechte') })
  const elsewhere = await ownSource(stranger)
  for (const [caller, status] of [
    [service.anonymous, 401],
    [learner, 403],
    [stranger, 403],
    [editor, 200],
    [admin, 200],
  ] as const) {
    t.equal((await caller.get(`${URL}/${slug}`)).status, status)
    t.equal((await caller.get(`${URL}/${slug}/versions`)).status, status)
    t.equal((await caller.patch(`${URL}/${slug}`, { version: 1 })).status, status)
    t.equal((await caller.post(`${URL}/${slug}/versions/1/restore`)).status, status)
    t.equal((await caller.post(URL, sheetOf({ title: unique('Rechte') }))).status, status)
  }
  t.equal((await editor.post(URL, sheetOf({ source_id: elsewhere }))).status, 403)
  t.equal((await editor.post(URL, sheetOf({ source_id: 999_999 }))).status, 404)
  t.equal((await editor.get(`${URL}/nicht-da`)).status, 404)
  const { token } = (await editor.post('/api/auth/tokens', { name: 'x', scopes: ['learn', 'read'] })).body
  t.equal((await callerOf(service.app, undefined, token).get(`${URL}/${slug}`)).status, 403)

  await db.deleteFrom('source_editors').where('user_id', '=', editor.id).execute()
  t.equal((await editor.patch(`${URL}/${slug}`, { version: 1, content_md: 'x' })).status, 403, 'the right is withdrawn')
  await db.insertInto('source_editors').values({ source_id: source, user_id: editor.id }).execute()
})

t.test('a sheet of the folder is read-only', async (t) => {
  const { slug } = await createCheatsheet(db)
  const message = 'Der Inhalt gehört zu keiner Quelle; Administratoren können ihn in eine Quelle übernehmen'
  t.strictSame((await admin.patch(`${URL}/${slug}`, { version: 1, content_md: 'x' })).body, errorBody(409, message))
  t.equal((await editor.patch(`${URL}/${slug}`, { version: 1, content_md: 'x' })).status, 403)
  t.match((await admin.get(`${URL}/${slug}`)).body, { sheet: { source: null } })
})

t.test('marks a sheet of an uploaded source as edited after a change of its text, but not of its state', async (t) => {
  const uploaded = await createSource(db, { kind: 'archive', name: 'Archiv' })
  const author = await createEditor(service, uploaded)
  const { slug } = await create({ source_id: uploaded, title: unique('Archiv') }, author)
  t.match((await author.patch(`${URL}/${slug}`, { archived: true })).body.sheet, { changed_here: false })
  t.match((await author.patch(`${URL}/${slug}`, { version: 1, title: 'Anders' })).body.sheet, {
    changed_here: true,
    slug,
  })
})

t.test('two editors save at the same moment: one wins, and nothing is lost', async (t) => {
  const { slug, id } = await create({ title: unique('Zwei') })
  const saves = await startBehindLock(
    service.database,
    (transaction) => transaction.selectFrom('cheatsheets').select('id').where('id', '=', id).forUpdate().execute(),
    [editor, admin].map(
      (caller, index) => () => caller.patch(`${URL}/${slug}`, { version: 1, content_md: `von ${index}` }),
    ),
  )
  t.strictSame(saves.map(({ status }) => status).sort(), [200, 409])
  t.equal((await editor.get(`${URL}/${slug}`)).body.sheet.version, 2)
})

t.test('a save during an import waits for it, then checks the version', async (t) => {
  const { slug, id } = await create({ title: unique('Import') })
  const [saved] = await startBehindLock(
    service.database,
    (transaction) =>
      transaction.updateTable('cheatsheets').set({ content_md: 'vom Import' }).where('id', '=', id).execute(),
    [() => editor.patch(`${URL}/${slug}`, { version: 1, content_md: 'von Hand' })],
  )
  t.strictSame(saved?.body, errorBody(409, 'Inzwischen geändert'))
  t.match((await editor.get(`${URL}/${slug}/versions`)).body.versions, [
    { version: 2, content_md: 'vom Import', how: null, changed_by: null },
    { version: 1 },
  ])
})

t.test('versions outlive their author, but not their source', async (t) => {
  const gone = await createSource(db)
  const author = await createEditor(service, gone)
  const { slug } = await create({ source_id: gone, title: unique('Weg') }, author)
  await author.patch(`${URL}/${slug}`, { version: 1, content_md: 'zwei' })
  await db.deleteFrom('users').where('id', '=', author.id).execute()
  t.match((await admin.get(`${URL}/${slug}/versions`)).body.versions, [
    { version: 2, changed_by: null, how: 'edit' },
    { version: 1, changed_by: null, how: 'create' },
  ])
  t.equal((await admin.delete(`/api/content/sources/${gone}?purge=true`)).status, 200)
  t.equal((await admin.patch(`${URL}/${slug}`, { version: 2, content_md: 'x' })).status, 404)
})

t.test('one user reads versions once at a time, and thirty requests wait', async (t) => {
  const { slug } = await create()
  let refused = 0
  const ask = async () => {
    const { status } = await editor.get(`${URL}/${slug}/versions?limit=1`)
    if (status === 429) refused++
    return status
  }
  const asked: Promise<number>[] = []
  await db.transaction().execute(async (transaction) => {
    // Blocks the first request. On the embedded database, all requests wait for the connection and continue in turn.
    await sql`lock table sheet_versions`.execute(transaction)
    for (let count = 0; count < 33; count++) asked.push(ask())
    await (service.database.embedded ? waitUntilBlocked(service.database, 33) : until(() => refused === 2))
  })
  t.strictSame((await Promise.all(asked)).sort(), [...Array(31).fill(200), 429, 429])
})
