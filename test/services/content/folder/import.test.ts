import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import t from 'tap'
import { tryLock } from '../../../../db/queries/try-lock.js'
import { commandLineActor } from '../../../../src/commands/actor.js'
import { importContent, importIntoEmptyStore } from '../../../../src/services/content/folder/import.js'
import { changeFiles, deckFile, writeContentFolder } from '../../../support/content.js'
import { createDatabaseToSpoil, TEST_DATABASE_URL } from '../../../support/database.js'
import { createCard, createDeck, createProgress, createUser } from '../../../support/factories.js'
import { errorBody, startService } from '../../../support/service.js'

const database = await createDatabaseToSpoil()
const folder = await writeContentFolder(t, {
  'decks/git.md': deckFile('Git', [{ id: 'eins' }, { id: 'zwei' }, { id: 'drei' }], { sort_order: 3 }),
  'decks/sql.md': deckFile('SQL', [{ id: 'eins' }], { description: 'Abfragen' }),
  'cheatsheets/git/alltag.md': '---\ntitle: Alltag\n---\n\n# Alltag\n',
  'cheatsheets/allgemein.md': '---\ncategory: Diverses\n---\n# Überschrift\n\nText\n',
})
const service = await startService(t, { database, config: { contentDir: folder } })
const { db } = service
const admin = await service.admin()

type Counts = [created: number, updated: number, unchanged: number, archived: number]

async function runImport(): Promise<{ decks: Counts; cards: Counts; cheatsheets: Counts }> {
  const { status, body, text } = await admin.post('/api/admin/import')
  if (status !== 200) throw new Error(text)
  const { decks, cards, cheatsheets, duration_ms } = body.stats
  t.equal(body.message, 'Import abgeschlossen')
  t.ok(Number.isInteger(duration_ms))
  const counts = (kind: Record<string, number>) =>
    ['created', 'updated', 'unchanged', 'archived'].map((key) => kind[key]) as Counts
  return { decks: counts(decks), cards: counts(cards), cheatsheets: counts(cheatsheets) }
}

const unchanged = { decks: [0, 0, 2, 0], cards: [0, 0, 4, 0], cheatsheets: [0, 0, 2, 0] }

async function snapshot() {
  return {
    decks: await db.selectFrom('decks').selectAll().orderBy('id').execute(),
    cards: await db.selectFrom('cards').selectAll().orderBy('id').execute(),
    sheets: await db.selectFrom('cheatsheets').selectAll().orderBy('id').execute(),
  }
}

const findCard = (question: string) =>
  db.selectFrom('cards').selectAll().where('question', '=', question).executeTakeFirstOrThrow()

t.test('the first import creates everything', async (t) => {
  t.strictSame(await runImport(), { decks: [2, 0, 0, 0], cards: [4, 0, 0, 0], cheatsheets: [2, 0, 0, 0] })
  const { decks, cards, sheets } = await snapshot()
  t.match(decks, [
    { slug: 'git', name: 'Git', description: '', sort_order: 3, card_count: 3 },
    { slug: 'sql', name: 'SQL', description: 'Abfragen', sort_order: 0, card_count: 1 },
  ])
  t.strictSame(
    cards.map(({ question, answer, level, sort_order }) => [question, answer, level, sort_order]),
    [
      ['Frage eins?', 'Antwort eins.', 'grundlagen', 1],
      ['Frage zwei?', 'Antwort zwei.', 'grundlagen', 2],
      ['Frage drei?', 'Antwort drei.', 'grundlagen', 3],
      ['Frage eins?', 'Antwort eins.', 'grundlagen', 1],
    ],
  )
  t.strictSame(sheets.map(({ slug, title, category, content_md }) => [slug, title, category, content_md]).sort(), [
    ['allgemein', 'Überschrift', 'Diverses', '# Überschrift\n\nText\n'],
    ['alltag', 'Alltag', 'git', '\n# Alltag\n'],
  ])
})

t.test('a repeated import writes nothing', async (t) => {
  const before = await snapshot()
  t.strictSame(await runImport(), unchanged)
  t.strictSame(await snapshot(), before)
})

t.test('a changed card keeps its row and progress', async (t) => {
  const user = await createUser(db)
  const before = await findCard('Frage zwei?')
  await createProgress(db, { user_id: user.id, card_id: before.id, last_rating: 'easy', next_review: '2030-01-01' })
  await changeFiles(folder, {
    'decks/git.md': deckFile('Git', [{ id: 'zwei', question: 'Neu gefragt?' }, { id: 'eins' }, { id: 'drei' }], {
      sort_order: 3,
    }),
  })
  t.strictSame(
    await runImport(),
    { ...unchanged, cards: [0, 2, 2, 0] },
    'the text of one card and the position of another changed',
  )
  const after = await findCard('Neu gefragt?')
  t.match(after, { id: before.id, sort_order: 1 })
  t.ok(after.updated_at > before.updated_at)
  t.equal((await db.selectFrom('card_progress').selectAll().where('card_id', '=', before.id).execute()).length, 1)
})

t.test('an alias renames a card', async (t) => {
  const before = await findCard('Neu gefragt?')
  const cards = [
    { id: 'anders', aliases: ['zwei', 'nie-da'], question: 'Neu gefragt?' },
    { id: 'eins' },
    { id: 'drei' },
  ]
  await changeFiles(folder, { 'decks/git.md': deckFile('Git', cards, { sort_order: 3 }) })
  t.strictSame(await runImport(), { ...unchanged, cards: [0, 1, 3, 0] })
  t.equal((await findCard('Neu gefragt?')).id, before.id)
  t.strictSame(await runImport(), unchanged)
})

t.test('missing content is archived and returns with its progress', async (t) => {
  const gone = await findCard('Neu gefragt?')
  const text = deckFile('Git', [{ id: 'eins' }, { id: 'drei' }], { sort_order: 3 })
  const whole = deckFile('Git', [{ id: 'anders', question: 'Neu gefragt?' }, { id: 'eins' }, { id: 'drei' }], {
    sort_order: 3,
  })
  await changeFiles(folder, { 'decks/git.md': text, 'cheatsheets/allgemein.md': null })
  t.strictSame(await runImport(), { decks: [0, 0, 2, 0], cards: [0, 2, 1, 1], cheatsheets: [0, 0, 1, 1] })
  t.ok((await findCard('Neu gefragt?')).archived_at)
  t.equal((await admin.get('/api/decks/git')).body.deck.card_count, 2)
  t.equal((await admin.get('/api/cheatsheets/allgemein')).status, 404)

  await changeFiles(folder, {
    'decks/git.md': whole,
    'cheatsheets/neu/allgemein.md': '---\ncategory: Diverses\n---\n# Überschrift\n\nText\n',
  })
  t.strictSame(await runImport(), { decks: [0, 0, 2, 0], cards: [0, 3, 1, 0], cheatsheets: [0, 1, 1, 0] })
  t.match(await findCard('Neu gefragt?'), { id: gone.id, archived_at: null })
  t.equal((await db.selectFrom('card_progress').selectAll().where('card_id', '=', gone.id).execute()).length, 1)
})

t.test('a deck without its file is archived with its imported cards', async (t) => {
  const text = deckFile('SQL', [{ id: 'eins' }], { description: 'Abfragen' })
  const deck = await db.selectFrom('decks').selectAll().where('slug', '=', 'sql').executeTakeFirstOrThrow()
  const ownCard = await createCard(db, { deck_id: deck.id, question: 'vom Skript' })
  await changeFiles(folder, { 'decks/sql.md': null })
  t.strictSame(await runImport(), { decks: [0, 0, 1, 1], cards: [0, 0, 3, 1], cheatsheets: [0, 0, 2, 0] })
  t.equal((await admin.get('/api/decks/sql')).status, 404)
  const { questions } = (await admin.get('/api/quiz/generate?count=50')).body
  t.equal(questions.length, 3, 'the card of the script is hidden with its deck')
  await changeFiles(folder, { 'decks/moved.md': text.replace('name:', 'slug: sql\nname:') })
  t.strictSame(await runImport(), { decks: [0, 1, 1, 0], cards: [0, 1, 3, 0], cheatsheets: [0, 0, 2, 0] })
  await changeFiles(folder, { 'decks/moved.md': null, 'decks/sql.md': text })
  t.strictSame(await runImport(), unchanged, 'a file that only moved is unchanged')
  t.equal((await findCard('vom Skript')).archived_at, null, 'content that no file describes is unchanged')
  await db.deleteFrom('cards').where('id', '=', ownCard.id).execute()
})

t.test('content of scripts stays until a file has its slug; manual changes are reverted', async (t) => {
  const deck = await createDeck(db, { slug: 'skript', name: 'Vom Skript' })
  await db.insertInto('cheatsheets').values({ slug: 'blatt', title: 'alt', content_md: 'x' }).execute()
  t.strictSame(await runImport(), unchanged)
  await changeFiles(folder, {
    'decks/skript.md': deckFile('Aus der Datei', [{ id: 'neu' }]),
    'cheatsheets/blatt.md': '---\ntitle: neu\n---\ny',
  })
  t.strictSame(await runImport(), { decks: [0, 1, 2, 0], cards: [1, 0, 4, 0], cheatsheets: [0, 1, 2, 0] })
  const adopted = await db.selectFrom('decks').selectAll().where('slug', '=', 'skript').executeTakeFirstOrThrow()
  t.match(adopted, { id: deck.id, name: 'Aus der Datei' })

  await db.updateTable('decks').set({ name: 'von Hand' }).where('slug', '=', 'skript').execute()
  await db.updateTable('cards').set({ answer: 'von Hand' }).where('deck_id', '=', deck.id).execute()
  await db.updateTable('cheatsheets').set({ archived_at: new Date() }).where('slug', '=', 'blatt').execute()
  t.strictSame(await runImport(), { decks: [0, 1, 2, 0], cards: [0, 1, 4, 0], cheatsheets: [0, 1, 2, 0] })

  await changeFiles(folder, { 'decks/skript.md': null, 'cheatsheets/blatt.md': null })
  t.strictSame(await runImport(), { decks: [0, 0, 2, 1], cards: [0, 0, 4, 1], cheatsheets: [0, 0, 2, 1] })
  t.strictSame(await runImport(), unchanged)
})

t.test('faults stop the import: all are listed, and nothing changes', async (t) => {
  const before = await snapshot()
  await changeFiles(folder, {
    'decks/faulty.md': '---\nname: X\nfarbe: rot\n---\n## Ohne Kommentar\n\n### Antwort\nx\n',
    'decks/later.md': deckFile('Später', [{ id: 'gut' }, { id: 'gut' }]),
  })
  const response = await admin.post('/api/admin/import')
  t.equal(response.status, 400)
  const { errors, ...body } = response.body
  t.strictSame(body, errorBody(400, body.message))
  t.match(body.message, /^Import abgebrochen: 3 Fehler/)
  t.match(errors, [
    { file: 'decks/faulty.md', line: 3, message: String },
    { file: 'decks/faulty.md', line: 5, message: String },
    { file: 'decks/later.md', line: Number, message: String },
  ])
  t.strictSame(await snapshot(), before)
  await changeFiles(folder, { 'decks/faulty.md': null, 'decks/later.md': null })
})

t.test('ignored files are warnings', async (t) => {
  await changeFiles(folder, { 'decks/sub/x.md': 'nicht gelesen' })
  const warnings = [
    { file: 'decks/sub/x.md', line: 1, message: 'Nicht eingelesen: die Dateien liegen unmittelbar in decks/' },
  ]
  t.strictSame((await admin.post('/api/admin/import')).body.stats.warnings, warnings)
  await changeFiles(folder, { 'decks/sub/x.md': null })
  t.strictSame((await admin.post('/api/admin/import')).body.stats.warnings, [])
})

t.test('an empty or missing folder archives nothing, and the response or the log states why', async (t) => {
  const before = await snapshot()
  const hidden = `${folder}-elsewhere`
  await rename(folder, hidden)
  const gone = await admin.post('/api/admin/import')
  t.equal(gone.status, 500)
  t.equal(gone.headers['retry-after'], undefined)
  t.strictSame(gone.body, { ...errorBody(500, 'Interner Serverfehler'), requestId: gone.headers['x-request-id'] })

  await mkdir(folder)
  const empty = await admin.post('/api/admin/import')
  t.equal(empty.status, 400)
  t.match(empty.body.errors, [{ file: '.', line: 1, message: /weder decks/ }])
  await writeFile(`${folder}/decks`, 'a file')
  const file = await admin.post('/api/admin/import')
  t.equal(file.status, 400)
  t.match(file.body.errors, [{ file: 'decks', line: 1, message: '„decks“ ist kein Ordner' }])
  t.strictSame(await snapshot(), before)
  await rm(folder, { recursive: true })
  await rename(hidden, folder)
  t.strictSame(await runImport(), unchanged)
})

t.test('of two concurrent imports one is refused', async (t) => {
  const first = importContent(db, commandLineActor(), folder)
  await t.rejects(importContent(db, commandLineActor(), folder), { kind: 'conflict', message: 'Import läuft bereits' })
  t.match(await first, { cards: { unchanged: 4 } })
  t.strictSame(await runImport(), unchanged)
})

t.test(
  'an import of another instance is refused, too',
  { skip: !TEST_DATABASE_URL && 'the embedded store has one process' },
  async (t) => {
    await db.transaction().execute(async (transaction) => {
      t.equal(await tryLock(transaction, 'import'), true)
      t.strictSame((await admin.post('/api/admin/import')).body, errorBody(409, 'Import läuft bereits'))
    })
    t.strictSame(await runImport(), unchanged)
  },
)

t.test('a failed import leaves no changes', async (t) => {
  const before = await snapshot()
  await changeFiles(folder, {
    'decks/neu.md': deckFile('Neu', [{ id: 'neu' }]),
    'cheatsheets/neu.md': '---\ntitle: kaputt\n---\nx',
  })
  await sql`alter table cheatsheets add constraint no_kaputt check (title <> 'kaputt')`.execute(db)
  t.equal((await admin.post('/api/admin/import')).status, 500)
  t.strictSame(await snapshot(), before)
  await sql`alter table cheatsheets drop constraint no_kaputt`.execute(db)
  await changeFiles(folder, { 'decks/neu.md': null, 'cheatsheets/neu.md': null })
})

t.test('the first start imports only into an empty store', async (t) => {
  t.equal(await importIntoEmptyStore(db, folder), undefined)
  const fresh = await startService(t, {})
  t.match(await importIntoEmptyStore(fresh.db, folder), { cards: { created: 4 } })
  t.equal(await importIntoEmptyStore(fresh.db, folder), undefined)
  t.match(await importContent(fresh.db, commandLineActor(), folder), { cards: { unchanged: 4 } })
})
