import { sql } from 'kysely'
import t from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../../../support/content.js'
import { createEditor, createSource, writeCard, writeDeck } from '../../../support/editing.js'
import { startService } from '../../../support/service.js'

const CARDS = Array.from({ length: 12 }, (_, index) => ({ id: `karte-${index}` }))
const draftFile = (draft: boolean) =>
  `---\nname: Entwürfe\n---\n## Was fehlt?\n<!-- id: a; level: b; draft: ${draft} -->\n\n### Antwort\nViel\n`
const choice = (wrong: string) =>
  `## Wann?\n<!-- id: wann; level: b -->\n\n### Antwort\nSofort\n\n- [ ] ${wrong}\n  > Zu spät\n- [ ] Morgen\n`
const folder = await writeContentFolder(t, {
  'decks/git.md': deckFile('Git', CARDS),
  'decks/entwurf.md': draftFile(true),
  'decks/pool.md': deckFile('Pool', [{ id: 'geheim' }], { tests_only: true }),
  'decks/wahl.md': `---\nname: Wahl\nlang: en\n---\n${choice('Nie')}`,
  'cheatsheets/spaeter.md': '---\ndraft: true\n---\n# Später\n',
})
const service = await startService(t, { config: { contentDir: folder } })
const { db } = service
const admin = await service.admin()

async function runImport() {
  const { status, body, text } = await admin.post('/api/admin/import')
  if (status !== 200) throw new Error(text)
  return body.stats
}

const UNCHANGED = { created: 0, updated: 0, archived: 0 }
const stateOf = (question: string) =>
  db
    .selectFrom('cards')
    .innerJoin('imported_cards', 'card_id', 'cards.id')
    .select(['archived_at', 'draft', 'draft_archived', 'exercise'])
    .where('question', '=', question)
    .executeTakeFirstOrThrow()
const changes = () => db.selectFrom('content_changes').selectAll().orderBy('id').execute()

t.test('the first import stores drafts, pools and options, and no change', async (t) => {
  t.match(await runImport(), { decks: { created: 4 }, cards: { created: 15 }, cheatsheets: { created: 1 } })
  t.match(await stateOf('Was fehlt?'), { archived_at: Date, draft: true, draft_archived: false })
  t.match(await stateOf('Frage geheim?'), { archived_at: null, draft: false })
  t.match(await stateOf('Wann?'), {
    exercise: { form: 'choice', options: [{ text: 'Nie', correct: false, feedback: 'Zu spät' }, { text: 'Morgen' }] },
  })
  t.match(
    await db
      .selectFrom('decks')
      .innerJoin('imported_decks', 'deck_id', 'id')
      .select(['archived_at', 'lang'])
      .where('tests_only', '=', true)
      .execute(),
    [{ archived_at: Date, lang: 'de' }],
  )
  t.strictSame(await changes(), [])
  const { body } = await admin.get('/api/decks')
  t.strictSame(body.decks.map(({ slug }: { slug: string }) => slug).sort(), ['entwurf', 'git', 'wahl'])
  t.match(await admin.get('/api/cheatsheets/spaeter'), { status: 404 })
  t.match(await runImport(), { decks: UNCHANGED, cards: UNCHANGED, cheatsheets: UNCHANGED })
  t.strictSame(await changes(), [], 'an unchanged import records no change')
})

t.test('a changed option creates a version of the card, attributed to the folder', async (t) => {
  await changeFiles(folder, { 'decks/wahl.md': `---\nname: Wahl\nlang: en\n---\n${choice('Niemals')}` })
  t.match(await runImport(), { cards: { updated: 1, unchanged: 14 } })
  const [change, ...others] = await changes()
  t.match(change, { how: 'folder', source_id: null, user_id: admin.id, summary: { cards: { updated: 1 } } })
  t.strictSame(others, [])
  t.match(await db.selectFrom('card_versions').selectAll().execute(), [
    { version: 1, question: 'Wann?', change_id: change?.id, exercise: { options: [{ text: 'Nie' }, {}] } },
  ])
  t.strictSame(
    (await admin.post('/api/content/check')).body.stats.warnings,
    [],
    'an unchanged card is not linted again',
  )
})

t.test('an import replaces an exercise to which a script has added an incomplete option', async (t) => {
  const before = (await stateOf('Wann?')).exercise
  const damaged = sql<null>`jsonb_insert(exercise, '{options,-1}', '{"correct": false}', true)`
  await db.updateTable('cards').set({ exercise: damaged }).where('question', '=', 'Wann?').execute()
  t.match(await runImport(), { cards: { updated: 1 } })
  t.strictSame((await stateOf('Wann?')).exercise, before)
})

t.test('drafts are published, archived and restored', async (t) => {
  await changeFiles(folder, { 'decks/entwurf.md': draftFile(false), 'cheatsheets/spaeter.md': '# Später\n' })
  t.match(await runImport(), { cards: { updated: 1 }, cheatsheets: { updated: 1 } })
  t.match(await stateOf('Was fehlt?'), { archived_at: null, draft: false })
  t.match(await admin.get('/api/cheatsheets/spaeter'), { status: 200 })
  await changeFiles(folder, { 'decks/entwurf.md': draftFile(true) })
  t.match(await runImport(), { cards: { updated: 1 } })
  await changeFiles(folder, { 'decks/entwurf.md': null })
  t.match(await runImport(), { decks: { archived: 1 }, cards: { archived: 1 } })
  t.match(await stateOf('Was fehlt?'), { archived_at: Date, draft: true, draft_archived: true })
  t.match(await runImport(), { cards: UNCHANGED })
  await changeFiles(folder, { 'decks/entwurf.md': draftFile(true) })
  t.match(await runImport(), { decks: { updated: 1 }, cards: { updated: 1 } })
  t.match(await stateOf('Was fehlt?'), { archived_at: Date, draft: true, draft_archived: false })
})

t.test('a pool is archived and restored, and stays hidden', async (t) => {
  const poolOf = () =>
    db
      .selectFrom('decks')
      .innerJoin('imported_decks', 'deck_id', 'id')
      .select(['archived_at', 'pool_archived'])
      .where('slug', '=', 'pool')
      .executeTakeFirst()
  await changeFiles(folder, { 'decks/pool.md': null })
  t.match(await runImport(), { decks: { archived: 1 }, cards: { archived: 1 } })
  t.match(await poolOf(), { archived_at: Date, pool_archived: true })
  t.match(await runImport(), { decks: UNCHANGED, cards: UNCHANGED })
  await changeFiles(folder, { 'decks/pool.md': deckFile('Pool', [{ id: 'geheim' }], { tests_only: true }) })
  t.match(await runImport(), { decks: { updated: 1 }, cards: { updated: 1 } })
  t.match(await poolOf(), { archived_at: Date, pool_archived: false })
})

t.test('a deck neither becomes a pool nor stops being one', async (t) => {
  await changeFiles(folder, {
    'decks/pool.md': deckFile('Pool', [{ id: 'geheim' }]),
    'decks/git.md': deckFile('Git', CARDS, { tests_only: true }),
  })
  for (const url of ['/api/admin/import', '/api/content/check']) {
    const response = await admin.post(url)
    t.match(response, {
      status: 400,
      body: {
        errors: [
          { file: 'decks/git.md', line: 1, message: /„tests_only: true“ geht nur bei einem neuen Deck/ },
          { file: 'decks/pool.md', line: 1, message: /ist ein Fragenpool und bleibt es/ },
        ],
      },
    })
  }
  await changeFiles(folder, {
    'decks/pool.md': deckFile('Pool', [{ id: 'geheim' }], { tests_only: true }),
    'decks/git.md': deckFile('Git', CARDS),
  })
  t.match(await runImport(), { decks: UNCHANGED, cards: UNCHANGED })
})

t.test('a released pool stays a pool', async (t) => {
  const source = await createSource(db)
  const editor = await createEditor(service, source)
  const slug = await writeDeck(editor, source, { name: 'Übergabe', tests_only: true })
  await writeCard(editor, slug, { question: 'Bleibt geheim?' })
  t.match(await admin.post(`/api/content/sources/${source}/release`), { status: 200 })
  t.match(await runImport(), { decks: UNCHANGED })
  await changeFiles(folder, { [`decks/${slug}.md`]: deckFile('Übergabe', [{ id: 'neu' }], { tests_only: true }) })
  t.match(await runImport(), { decks: { updated: 1 }, cards: { created: 1 } })
  const pool = db.selectFrom('decks').innerJoin('imported_decks', 'deck_id', 'id').where('slug', '=', slug)
  t.match(await pool.select(['archived_at', 'tests_only']).execute(), [{ archived_at: Date, tests_only: true }])
  t.match(await runImport(), { decks: UNCHANGED, cards: UNCHANGED })
  await changeFiles(folder, { [`decks/${slug}.md`]: null })
  t.match(await runImport(), { decks: { archived: 1 } })
})

t.test("a file with the slug of a source does not stop the import, and the source's content stays", async (t) => {
  const source = await createSource(db, { name: 'Team' })
  const editor = await createEditor(service, source)
  const slug = await writeDeck(editor, source, { name: 'Netz' })
  const card = await writeCard(editor, slug)
  const before = await db.selectFrom('cards').selectAll().where('id', '=', card.id).execute()
  await changeFiles(folder, {
    [`decks/${slug}.md`]: deckFile('Fremd', [{ id: 'fremd', answer: '![x](bild.png)' }]),
    'decks/bild.png': 'kein Bild',
  })
  t.match(await admin.post('/api/admin/import'), { status: 400 }, 'faults of the file still count')
  await changeFiles(folder, { [`decks/${slug}.md`]: deckFile('Fremd', [{ id: 'fremd' }]) })
  const message = `Das Deck „${slug}“ gehört der Quelle „Team“; die Datei wird nicht gelesen`
  for (const url of ['/api/content/check', '/api/admin/import']) {
    const { body } = await admin.post(url)
    t.match(body.stats, { decks: UNCHANGED, cards: UNCHANGED })
    t.ok(
      body.stats.warnings.some((one: { message: string }) => one.message === message),
      url,
    )
  }
  t.strictSame(await db.selectFrom('cards').selectAll().where('id', '=', card.id).execute(), before)

  // The removal of most cards needs a confirmation. The skipped file counts neither as removed nor as remaining, so the
  // service refuses the import with and without this file.
  await changeFiles(folder, { 'decks/git.md': null })
  t.match(await admin.post('/api/admin/import'), { status: 409 })
  await changeFiles(folder, { [`decks/${slug}.md`]: null })
  t.match(await admin.post('/api/admin/import'), { status: 409 })
})
