import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { commandLineActor } from '../../../../src/commands/actor.js'
import { checkFolder } from '../../../../src/services/content/folder/check.js'
import { importContent } from '../../../../src/services/content/folder/import.js'
import { writeContentFolder } from '../../../support/content.js'
import { countStatements, createMigratedDatabase } from '../../../support/database.js'
import { createSource } from '../../../support/editing.js'
import { gifOf } from '../../../support/pictures.js'

const database = await createMigratedDatabase()
const { db, close } = database
t.teardown(close)

const question = (id: string, level = 'pflicht') => `
## Frage ${id}?
<!-- id: ${id}; level: ${level} -->

### Antwort
Weil ${id}.

- [x] richtig
- [ ] falsch
- [ ] daneben
`
const pool = (...ids: string[]) => `---\nname: Pool\ntests_only: true\n---\n${ids.map((id) => question(id)).join('')}`
const test = (sections: string, rest = '') => `---\nname: Datenschutz\n${rest}sections:\n${sections}---\nLos!\n`
const ALL = '  - { deck: pool }\n'

const folder = await writeContentFolder(t, { 'decks/pool.md': pool('a', 'b', 'c'), 'tests/ds.md': test(ALL) })
const write = (file: string, text: string) => writeFile(path.join(folder, file), text)
const run = async () => (await importContent(db, commandLineActor(), folder, { force: true })).tests
const check = async () => (await checkFolder(db, folder, 2 ** 30, new AbortController().signal)).stats.tests
const faultsOf = async (work: () => Promise<unknown>) => {
  const error = await work().then(
    () => undefined,
    (error) => error,
  )
  return (error?.faults ?? []).map(({ file, line, message }: { file: string; line: number; message: string }) => {
    return `${file}:${line}: ${message}`
  })
}
const stored = async () => {
  const rows = await db
    .selectFrom('tests')
    .select(['slug', 'source_id', 'file', 'edit_version', 'published_version'])
    .select((eb) => eb('archived_at', 'is', null).as('isLive'))
    .orderBy('slug')
    .execute()
  return rows
}
const none = { created: 0, updated: 0, unchanged: 0, archived: 0 }

t.test('an import creates and publishes a test with its pool', async (t) => {
  t.strictSame(await check(), { ...none, created: 1 })
  t.strictSame(await run(), { ...none, created: 1 })
  t.strictSame(await stored(), [
    { slug: 'ds', source_id: null, file: 'tests/ds.md', edit_version: 1, published_version: 1, isLive: true },
  ])
  const questions = await db.selectFrom('test_questions').select(['card_id', 'content']).orderBy('id').execute()
  t.strictSame(
    questions.map(({ content }) => content.question),
    ['Frage a?', 'Frage b?', 'Frage c?'],
  )
  t.ok(questions.every(({ card_id }) => card_id !== null))
  const version = await db.selectFrom('test_versions').selectAll().executeTakeFirstOrThrow()
  t.match(version, { version: 1, open_questions: false, published_by: null, definition: { introduction: 'Los!' } })
})

t.test('an unchanged import writes nothing', async (t) => {
  const before = await db.selectFrom('tests').selectAll().execute()
  t.strictSame(await check(), { ...none, unchanged: 1 })
  t.strictSame(await run(), { ...none, unchanged: 1 })
  t.strictSame(await db.selectFrom('tests').selectAll().execute(), before)
  t.equal((await db.selectFrom('test_versions').select('version').execute()).length, 1)
})

t.test('a changed question or definition publishes a new version', async (t) => {
  await write('decks/pool.md', pool('a', 'b', 'c').replace('Frage b?', 'Frage B?'))
  t.strictSame(await check(), { ...none, updated: 1 })
  t.strictSame(await run(), { ...none, updated: 1 })
  t.match(await stored(), [{ edit_version: 1, published_version: 2 }])
  await write('tests/ds.md', test('  - { deck: pool, draw: 2 }\n', 'pass_percent: 60\n'))
  t.strictSame(await check(), { ...none, updated: 1 })
  t.strictSame(await run(), { ...none, updated: 1 })
  t.match(await stored(), [{ edit_version: 2, published_version: 3 }])
  await write('decks/andere.md', '---\nname: Andere\n---\n')
  t.strictSame(await run(), { ...none, unchanged: 1 }, 'a change of another deck publishes nothing')
})

t.test('a test is published only after its draft flag is removed', async (t) => {
  await write('tests/entwurf.md', test(ALL, 'draft: true\n'))
  t.strictSame(await run(), { ...none, created: 1, unchanged: 1 })
  t.match((await stored())[1], { slug: 'entwurf', published_version: null })
  await write('tests/entwurf.md', test(ALL))
  t.strictSame(await check(), { ...none, unchanged: 2 })
  await run()
  t.match((await stored())[1], { slug: 'entwurf', published_version: 1, edit_version: 1 })
})

t.test('faults have their file and line, and nothing changes', async (t) => {
  const before = await db.selectFrom('tests').selectAll().orderBy('id').execute()
  const sections = [
    '  - { deck: weg }\n',
    '  - { deck: pool, draw: 9 }\n',
    '  - { deck: pool, cards: [a, nie] }\n',
    '  - { deck: andere }\n',
  ]
  await write('tests/ds.md', test(sections.join('')))
  const expected = [
    'tests/ds.md:4: Das Deck „weg“ gibt es nicht',
    'tests/ds.md:5: „draw“ ist 9, aber im Deck „pool“ gibt es nur 3 Fragen',
    'tests/ds.md:6: Die Karte „nie“ gibt es im Deck „pool“ nicht',
    'tests/ds.md:6: Die Karte „a“ aus „pool“ steht schon in Abschnitt 2',
    'tests/ds.md:7: Im Deck „andere“ gibt es keine Frage',
  ]
  t.strictSame(await faultsOf(check), expected)
  t.strictSame(await faultsOf(run), expected)
  t.strictSame(await db.selectFrom('tests').selectAll().orderBy('id').execute(), before)
  await write('tests/ds.md', test('  - { deck: pool, draw: 2 }\n', 'pass_percent: 60\n'))

  await write('decks/pool.md', pool('a'))
  t.strictSame(await faultsOf(check), ['tests/ds.md:5: „draw“ ist 2, aber im Deck „pool“ gibt es nur eine Frage'])
  t.strictSame(await faultsOf(run), ['tests/ds.md:5: „draw“ ist 2, aber im Deck „pool“ gibt es nur eine Frage'])
  await rm(path.join(folder, 'decks/pool.md'))
  t.match(await faultsOf(check), ['tests/ds.md:5: Das Deck „pool“ ist archiviert', /tests\/entwurf.md:4/])
  await write('decks/pool.md', pool('a', 'b', 'c').replace('Frage b?', 'Frage B?'))
  await write('tests/zwei.md', test(ALL, 'slug: ds\n'))
  t.match(await faultsOf(check), ['tests/zwei.md:3: Der Slug „ds“ ist schon in tests/ds.md vergeben'])
  await rm(path.join(folder, 'tests/zwei.md'))
})

t.test('a removed file archives its test, and a returning one restores it', async (t) => {
  await rm(path.join(folder, 'tests/entwurf.md'))
  t.strictSame(await check(), { ...none, unchanged: 1, archived: 1 })
  t.strictSame(await run(), { ...none, unchanged: 1, archived: 1 })
  t.match((await stored())[1], { slug: 'entwurf', isLive: false, published_version: 1 })
  t.strictSame(await run(), { ...none, unchanged: 1 })
  await write('tests/entwurf.md', test(ALL))
  t.strictSame(await run(), { ...none, unchanged: 1, updated: 1 })
  t.match((await stored())[1], { slug: 'entwurf', isLive: true, edit_version: 1, published_version: 1 })
})

t.test('a test with the slug of a source is skipped without stopping the import', async (t) => {
  const source_id = await createSource(db, { name: 'Werkstatt' })
  const definition = JSON.stringify({ name: 'Fremd', sections: [] })
  await db.insertInto('tests').values({ slug: 'fremd', source_id, source_key: 'fremd', definition }).execute()
  await write('tests/fremd.md', test(ALL))
  const deck = await db
    .insertInto('decks')
    .values({ slug: 'offen', name: 'Offen', archived_at: new Date() })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.insertInto('imported_decks').values({ deck_id: deck.id, source_id, source_key: 'offen' }).execute()
  await write('tests/entwurf.md', test(`${ALL}  - { deck: offen }\n`))
  const { tests, warnings } = await importContent(db, commandLineActor(), folder)
  t.strictSame(tests, { ...none, unchanged: 1, updated: 1 })
  t.strictSame(
    warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    [
      'tests/entwurf.md:5: Nicht veröffentlicht: Das Deck „offen“ ist archiviert',
      'tests/fremd.md:1: Der Test „fremd“ gehört der Quelle „Werkstatt“; die Datei wird nicht gelesen',
    ],
  )
  t.match(await stored(), [
    { slug: 'ds' },
    { slug: 'entwurf', edit_version: 2, published_version: 1 },
    { slug: 'fremd', source_id, edit_version: 1 },
  ])
})

t.test('pictures of the introduction are stored, and missing ones are faults', async (t) => {
  await write('tests/fremd.md', test(ALL, 'slug: bild\n').replace('Los!', 'Los!\n\n![x](../bilder/x.gif)'))
  t.match(await faultsOf(check), ['tests/fremd.md:9: Das Bild „../bilder/x.gif“ gibt es nicht'])
  await mkdir(path.join(folder, 'bilder'))
  await writeFile(path.join(folder, 'bilder/x.gif'), gifOf('x'))
  await run()
  const uses = await db.selectFrom('picture_uses').innerJoin('tests', 'tests.id', 'test_id').select('slug').execute()
  t.strictSame(uses, [{ slug: 'bild' }])
})

t.test('a check reads the decks of all tests at once', async (t) => {
  const counter = countStatements(database)
  const count = () =>
    counter.countOf(() => checkFolder(counter.database.db, folder, 2 ** 30, new AbortController().signal))
  await write('tests/erster.md', test('  - { deck: pool, cards: [a] }\n'))
  const before = await count()
  for (const id of ['b', 'c']) await write(`tests/neu-${id}.md`, test(`  - { deck: pool, cards: [${id}] }\n`))
  t.match(await check(), { created: 3 })
  t.equal(await count(), before)
  await run()
  const drawn = await db
    .selectFrom('test_questions')
    .innerJoin('tests', 'tests.id', 'test_id')
    .innerJoin('cards', 'cards.id', 'card_id')
    .select(['slug', 'question'])
    .where('slug', 'in', ['erster', 'neu-b', 'neu-c'])
    .orderBy('slug')
    .execute()
  t.strictSame(drawn, [
    { slug: 'erster', question: 'Frage a?' },
    { slug: 'neu-b', question: 'Frage B?' },
    { slug: 'neu-c', question: 'Frage c?' },
  ])
  // The import compares all published tests with their published versions in a single statement.
  const change = (text: string) => write('decks/pool.md', pool('a', 'b', 'c').replace('Weil a.', text))
  await change('Darum.')
  const some = await count()
  for (const id of ['d', 'e']) await write(`tests/neu-${id}.md`, test('  - { deck: pool, cards: [a] }\n'))
  await run()
  await change('Deshalb.')
  t.equal(await count(), some)
})
