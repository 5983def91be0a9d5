import { rename } from 'node:fs/promises'
import { sql } from 'kysely'
import t from 'tap'
import { commandLineActor } from '../../src/commands/actor.js'
import { createLogger } from '../../src/logger.js'
import { importContent, importIntoEmptyStore } from '../../src/services/content/folder/import.js'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { createDatabaseToSpoil } from '../support/database.js'
import { callerOf, errorBody, startService } from '../support/service.js'

const CARDS = Array.from({ length: 12 }, (_, index) => ({ id: `karte-${index}` }))
const SHEETS = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`cheatsheets/blatt-${index}.md`, `# Blatt ${index}\n`]),
)
const FILES = { 'decks/git.md': deckFile('Git', CARDS), ...SHEETS }
const folder = await writeContentFolder(t, FILES)
let log = ''
const service = await startService(t, {
  database: await createDatabaseToSpoil(),
  config: { contentDir: folder },
  logger: createLogger('warn', { write: (line) => (log += line) }),
})
const { db } = service
const [admin, member] = [await service.admin(), await service.member()]

const nameOf = async (id: number) =>
  (await db.selectFrom('users').select('username').where('id', '=', id).executeTakeFirstOrThrow()).username
const NO_CHANGES = { created: 0, updated: 0, unchanged: 0, archived: 0 }
const check = (query = '') => admin.post(`/api/content/check${query}`)
const state = async () => (await admin.get('/api/content/state')).body

async function snapshot() {
  const tables = ['decks', 'cards', 'cheatsheets', 'imported_decks', 'last_import', 'audit_log'] as const
  return Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()))
}

t.test('checks the rights of each route', async (t) => {
  const paths = [
    ['POST', '/api/content/check'],
    ['GET', '/api/content/state'],
    ['GET', '/api/content/reports'],
    ['PATCH', '/api/content/reports/1'],
  ] as const
  for (const [method, url] of paths) {
    t.strictSame((await service.anonymous.send({ method, url })).body, errorBody(401, 'Nicht angemeldet'), url)
    const isForAuthors = url.startsWith('/api/content/reports')
    const message = isForAuthors ? 'Dafür braucht dein Konto Autorenrechte' : 'Administratorrechte erforderlich'
    t.strictSame((await member.send({ method, url })).body, errorBody(403, message), url)
  }
  for (const [method, url] of [
    ['GET', '/api/content'],
    ['GET', '/api/content/check'],
    ['DELETE', '/api/content/state'],
    ['POST', '/api/content/reports'],
    ['GET', '/api/content/etwas/anderes'],
  ] as const) {
    t.strictSame((await service.anonymous.send({ method, url })).body, errorBody(401, 'Nicht angemeldet'), url)
    for (const caller of [member, admin]) {
      t.strictSame((await caller.send({ method, url })).body, errorBody(404, 'Unbekannter Inhalts-Endpunkt'), url)
    }
  }
})

t.test('a check shows the changes of an import and writes nothing', async (t) => {
  t.strictSame(await state(), {
    last_import: null,
    decks: 0,
    cards: 0,
    cheatsheets: 0,
    archived_decks: [],
    content_dir: folder,
  })
  const before = await snapshot()
  const { status, body } = await check()
  t.equal(status, 200)
  t.strictSame(body, {
    stats: {
      decks: { ...NO_CHANGES, created: 1 },
      cards: { ...NO_CHANGES, created: 12 },
      cheatsheets: { ...NO_CHANGES, created: 10 },
      warnings: [],
    },
    needs_force: false,
    archived: 0,
    live: 0,
    archived_cheatsheets: 0,
    live_cheatsheets: 0,
  })
  t.strictSame(
    (await check('?force=vielleicht')).body,
    errorBody(400, 'Der Parameter „force“ muss true oder false sein'),
  )
  t.strictSame(await snapshot(), before)
  const checks = await Promise.all(Array.from({ length: 5 }, () => check()))
  t.ok(checks.every((response) => response.status === 200))
})

t.test('records the outcome of an import', async (t) => {
  const { stats } = (await admin.post('/api/admin/import')).body
  t.match(stats, { cards: { created: 12 } })
  const { last_import, ...rest } = await state()
  t.match(last_import.at, /^\d{4}-\d\d-\d\dT.*Z$/)
  const by = await nameOf(admin.id)
  t.strictSame(
    { ...last_import, at: '' },
    { at: '', by, by_name: 'Erika Muster', via: 'session', outcome: 'done', error: null, stats, errors: [] },
  )
  t.match(rest, { decks: 1, cards: 12, cheatsheets: 10 })

  const { token } = (await admin.post('/api/auth/tokens', { name: 'nachts', scopes: ['content'] })).body
  const script = callerOf(service.app, undefined, token)
  t.equal((await script.post('/api/admin/import')).status, 200)
  t.match((await script.get('/api/content/state')).body.last_import, {
    by,
    via: 'token',
    stats: { cards: { unchanged: 12 } },
  })
  await importContent(db, commandLineActor(), folder)
  t.match((await state()).last_import, { by: null, via: 'cli', outcome: 'done' })
})

t.test('records why an import was refused; a check returns the same', async (t) => {
  await changeFiles(folder, { 'decks/faul.md': '---\nname: X\nfarbe: rot\n---\n## Ohne "\0" Kommentar\n' })
  const refused = await admin.post('/api/admin/import')
  t.equal(refused.status, 400)
  const checked = await check()
  t.strictSame([checked.status, checked.body], [400, refused.body])
  const { last_import } = await state()
  t.match(last_import, { via: 'session', outcome: 'refused', error: refused.body.message, stats: null })
  t.strictSame(last_import.errors, refused.body.errors)

  const many = Array.from({ length: 300 }, (_, index) => `## Frage ${index}?\n`).join('\n')
  await changeFiles(folder, { 'decks/faul.md': `---\nname: X\n---\n${many}` })
  t.ok((await admin.post('/api/admin/import')).body.errors.length > 200)
  t.equal((await state()).last_import.errors.length, 200)
  await changeFiles(folder, { 'decks/faul.md': null })

  await rename(folder, `${folder}-weg`)
  const text = 'Der Ordner der Inhalte (CONTENT_DIR) ist nicht lesbar'
  for (const request of [() => admin.post('/api/admin/import'), check]) {
    log = ''
    const failed = await request()
    const { headers } = failed
    const body = { ...errorBody(500, 'Interner Serverfehler'), requestId: headers['x-request-id'] }
    t.match(headers, { 'x-error-code': 'unreadable_content' })
    t.strictSame(failed.body, body, 'without the path of the folder')
    t.match(log, `${text}: ${folder} (ENOENT)`, 'the log has the path')
  }
  const error = `${text} (ENOENT)`
  t.match((await state()).last_import, { outcome: 'refused', error, errors: { length: 0 } })
  await rename(`${folder}-weg`, folder)
})

t.test('archives most cards or sheets only if forced', async (t) => {
  const counts = { archived: 0, live: 12, archived_cheatsheets: 0, live_cheatsheets: 10, needs_force: true }
  for (const [gone, changed, message] of [
    [{ 'decks/git.md': deckFile('Git', CARDS.slice(0, 5)) }, { archived: 7 }, '7 von 12 Karten'],
    [
      Object.fromEntries(Object.keys(SHEETS).map((name) => [name, null])),
      { archived_cheatsheets: 10 },
      '10 von 10 Cheat Sheets',
    ],
  ] as const) {
    await changeFiles(folder, gone)
    t.match((await check()).body, { ...counts, ...changed })
    t.match((await check('?force=true')).body, { ...counts, ...changed, needs_force: false })
    const refused = await admin.post('/api/admin/import')
    const reason = `Der Import würde ${message} archivieren`
    t.strictSame(refused.body, errorBody(409, `${reason}; force=true erlaubt es`))
    const [archived, live] = message.match(/\d+/g)?.map(Number) ?? []
    t.strictSame(JSON.parse(String(refused.headers['x-error-details'])), { archived, live })
    t.match((await state()).last_import, { outcome: 'refused', error: reason, errors: { length: 0 } })
    await changeFiles(folder, FILES)
  }
  await changeFiles(folder, Object.fromEntries(Object.keys(SHEETS).map((name) => [name, null])))
  t.match(await admin.post('/api/admin/import?force=true'), {
    status: 200,
    body: { stats: { cheatsheets: { archived: 10 } } },
  })
  t.match(await state(), { cheatsheets: 0, last_import: { outcome: 'done', error: null } })
  await changeFiles(folder, FILES)
  t.equal((await admin.post('/api/admin/import')).status, 200)
})

t.test('lists archived decks, the latest first', async (t) => {
  for (const name of ['alt', 'neu'])
    await changeFiles(folder, { [`decks/${name}.md`]: deckFile(name, [{ id: 'eins' }]) })
  await admin.post('/api/admin/import')
  for (const name of ['alt', 'neu']) {
    await changeFiles(folder, { [`decks/${name}.md`]: null })
    await admin.post('/api/admin/import')
  }
  const { archived_decks, decks, cards } = await state()
  t.match(archived_decks, [
    { slug: 'neu', name: 'neu', archived_at: String },
    { slug: 'alt', name: 'alt', archived_at: String },
  ])
  t.strictSame([archived_decks.length, decks, cards], [2, 1, 12])
})

t.test('records the first import of a start, also if it was refused', async (t) => {
  const faulty = await writeContentFolder(t, { 'decks/faul.md': 'kein Front Matter' })
  const fresh = await startService(t, { config: { contentDir: folder } })
  const reader = await fresh.admin()
  const read = async () => (await reader.get('/api/content/state')).body.last_import
  await t.rejects(importIntoEmptyStore(fresh.db, faulty), /Import abgebrochen/)
  t.match(await read(), { by: null, via: 'start', outcome: 'refused', errors: [{ file: 'decks/faul.md' }] })
  await importIntoEmptyStore(fresh.db, folder)
  t.match(await read(), {
    by: null,
    via: 'start',
    outcome: 'done',
    stats: { cards: { created: 12 } },
    errors: { length: 0 },
  })
})

t.test('retries an import after a concurrent change, at most three times', async (t) => {
  // Counts the attempts with a sequence, because a rollback does not reset it.
  await sql`create sequence import_attempts`.execute(db)
  await sql`
    create function overtake() returns trigger language plpgsql as $$
    begin
      if nextval('import_attempts') <= (select refused from overtaken) then
        raise exception 'taken' using errcode = 'unique_violation', constraint = 'decks_slug_key';
      end if;
      return new;
    end $$`.execute(db)
  await sql`create table overtaken as select 2 as refused`.execute(db)
  await sql`
    create trigger overtake before insert on decks for each row execute function overtake()`.execute(db)
  t.teardown(async () => {
    await sql`drop trigger overtake on decks`.execute(db)
    await sql`drop function overtake`.execute(db)
    await sql`drop table overtaken`.execute(db)
    await sql`drop sequence import_attempts`.execute(db)
  })
  await changeFiles(folder, { 'decks/drei.md': deckFile('Drei', [{ id: 'eins' }]) })
  t.match(await admin.post('/api/admin/import'), { status: 200, body: { stats: { decks: { created: 1 } } } })
  await sql`update overtaken set refused = 1000`.execute(db)
  await changeFiles(folder, { 'decks/vier.md': deckFile('Vier', [{ id: 'eins' }]) })
  const message = 'Die Inhalte werden gerade auch von anderer Stelle geändert; bitte den Import wiederholen'
  t.strictSame((await admin.post('/api/admin/import')).body, errorBody(409, message))
  t.match((await state()).last_import, { outcome: 'refused', error: message })
  await changeFiles(folder, { 'decks/vier.md': null })
})

t.test('an unchanged import updates no file name; a moved file is recorded', async (t) => {
  const versions = async () =>
    (await sql`select deck_id, file, xmin::text from imported_decks order by 1`.execute(db)).rows
  const before = await versions()
  t.equal((await admin.post('/api/admin/import')).status, 200)
  t.strictSame(await versions(), before)
  await changeFiles(folder, {
    'decks/drei.md': null,
    'decks/trois.md': deckFile('Drei', [{ id: 'eins' }], { slug: 'drei' }),
  })
  t.match((await admin.post('/api/admin/import')).body.stats.decks, { unchanged: 2, updated: 0 })
  t.ok((await versions()).some((row) => (row as { file: string }).file === 'decks/trois.md'))
})
