import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Kysely, sql } from 'kysely'
import t from 'tap'
import type { Database } from '../../../../db/types.js'
import { commandLineActor } from '../../../../src/commands/actor.js'
import { writeExport } from '../../../../src/services/content/exports/write-export.js'
import { checkUpload, importUpload } from '../../../../src/services/content/upload/import.js'
import { publishTest } from '../../../../src/services/tests/publish.js'
import { saveDefinition } from '../../../../src/services/tests/save-definition.js'
import { createMigratedDatabase } from '../../../support/database.js'
import { OPTIONS as CHOICES, defineTest } from '../../../support/edited-tests.js'
import { createSource } from '../../../support/editing.js'
import { createCard, createDeck } from '../../../support/factories.js'
import { unzip } from '../../../support/packages.js'

const [home, away] = [await createMigratedDatabase(), await createMigratedDatabase()]
const scratch = await mkdtemp(path.join(tmpdir(), 'svc-training-test-'))
t.teardown(async () => {
  await home.close()
  await away.close()
  await rm(scratch, { recursive: true })
})

const NONE = { created: 0, updated: 0, unchanged: 0, archived: 0 }
const OPTIONS = { name: 'Kopie', fileName: 'kopie.zip', userId: null, mediaMaxBytes: 2 ** 30 }

async function createPool(db: Kysely<Database>, sourceId: number, slug: string, keys: string[]) {
  const deck = await createDeck(db, { slug, archived_at: new Date() })
  const owner = { deck_id: deck.id, source_id: sourceId, source_key: `schluessel-${slug}`, tests_only: true }
  await db.insertInto('imported_decks').values(owner).execute()
  for (const [place, key] of keys.entries()) {
    const exercise = JSON.stringify({ form: 'choice', options: CHOICES, tolerance: null, unit: null })
    const card = await createCard(db, { deck_id: deck.id, exercise, sort_order: place })
    await db.insertInto('imported_cards').values({ card_id: card.id, deck_id: deck.id, key }).execute()
  }
}

async function save(db: Kysely<Database>, sourceId: number, slug: string, input: object, isPublished = true) {
  await saveDefinition(db, { slug, definition: defineTest(input), sourceId, version: undefined }, 'all')
  if (isPublished) await publishTest(db, 'erika', slug, false)
}

async function exportSource(db: Kysely<Database>, sourceId: number) {
  const folder = await mkdtemp(path.join(scratch, 'export-'))
  const request = { format: 'markdown', sourceId, hasHidden: true, timeZone: 'UTC', now: new Date() } as const
  const file = await writeExport(db, request, folder)
  return { path: file, size: (await stat(file)).size, folder, bytes: await readFile(file) }
}

const listTests = (db: Kysely<Database>) =>
  db
    .selectFrom('tests')
    .select(['slug', 'published_version', 'edit_version', 'edited', 'definition'])
    .orderBy(sql`slug collate "C"`)
    .execute()

const source = await createSource(home.db, { name: 'Geschrieben' })
await createPool(home.db, source, 'pool', ['a', 'b', 'c'])
await createPool(home.db, source, 'alt', ['x'])
await save(home.db, source, 'ganz', {
  name: 'Ganz',
  introduction: '# Los\n\n---\nText',
  sections: [{ deck: 'pool', draw: 2 }],
})
await save(home.db, source, 'entwurf', { name: 'Entwurf', sections: [{ deck: 'pool', cards: ['a'] }] }, false)
await save(home.db, source, 'kaputt', { name: 'Kaputt', sections: [{ deck: 'alt' }] })
await save(home.db, source, 'Ünü/x', { name: 'Sonderbar', sections: [{ deck: 'pool' }] })
await home.db
  .updateTable('imported_decks')
  .set({ pool_archived: true })
  .where('source_key', '=', 'schluessel-alt')
  .execute()
const archive = await exportSource(home.db, source)

t.test('an archive contains the tests; those that cannot be published are drafts', async (t) => {
  const entries = await unzip(archive.bytes)
  const names = [...entries.keys()].filter((name) => name.startsWith('tests/'))
  t.strictSame(names.sort(), ['tests/entwurf.md', 'tests/ganz.md', 'tests/kaputt.md', 'tests/Ünü-x.md'].sort())
  t.equal(
    entries.get('tests/ganz.md')?.toString(),
    '---\nname: Ganz\npass_percent: 80\nattempts: unlimited\nsections:\n  - { deck: pool, draw: 2 }\n---\n# Los\n\n---\nText\n',
  )
  t.match(entries.get('tests/entwurf.md')?.toString(), /^draft: true$/m)
  t.match(entries.get('tests/kaputt.md')?.toString(), /^draft: true$/m)
  t.match(entries.get('tests/Ünü-x.md')?.toString(), /^slug: Ünü\/x$/m)
})

t.test('an import into the same source changes nothing', async (t) => {
  const before = await listTests(home.db)
  const check = await checkUpload(home.db, archive, { ...OPTIONS, sourceId: source, mirror: true })
  t.strictSame([check.stats.tests, check.edited.total], [{ ...NONE, unchanged: 4 }, 0])
  await importUpload(home.db, commandLineActor(), archive, { ...OPTIONS, sourceId: source, mirror: true })
  t.strictSame(await listTests(home.db), before)
  t.ok((await exportSource(home.db, source)).bytes.equals(archive.bytes), 'the same bytes')
})

t.test('another service gets the same tests, with unused slugs and its own decks', async (t) => {
  const other = await createSource(away.db)
  await createPool(away.db, other, 'pool', ['z'])
  await save(away.db, other, 'ganz', { name: 'Anderer', sections: [{ deck: 'pool' }] })
  const check = await checkUpload(away.db, archive, OPTIONS)
  t.strictSame(check.stats.tests, { ...NONE, created: 4 })
  const { stats, source: copy } = await importUpload(away.db, commandLineActor(), archive, OPTIONS)
  t.strictSame(stats.tests, { ...NONE, created: 4 })
  t.match(await listTests(away.db), [
    { slug: 'entwurf', published_version: null },
    { slug: 'ganz', definition: { name: 'Anderer' } },
    { slug: 'ganz-2', published_version: 1, definition: { sections: [{ deck: 'pool-2', draw: 2 }] } },
    { slug: 'kaputt', published_version: null },
    { slug: 'Ünü/x', published_version: 1 },
  ])
  const again = await checkUpload(away.db, archive, { ...OPTIONS, sourceId: copy.id as number })
  t.strictSame(again.stats.tests, { ...NONE, unchanged: 4 })
})

t.test('edited tests stay unless their replacement is requested', async (t) => {
  const copy = (
    await away.db.selectFrom('content_sources').select('id').where('name', '=', 'Kopie').executeTakeFirstOrThrow()
  ).id
  const definition = defineTest({ name: 'Unser', sections: [{ deck: 'pool-2' }] })
  await saveDefinition(away.db, { slug: 'ganz-2', definition, sourceId: copy, version: 1 }, 'all')
  const ours = await importUpload(away.db, commandLineActor(), archive, { ...OPTIONS, sourceId: copy })
  t.match(
    [ours.stats.tests, ours.edited],
    [
      { ...NONE, unchanged: 4 },
      { total: 1, tests: [{ slug: 'ganz-2', name: 'Ganz', keep: 'ours' }] },
    ],
  )
  t.match(
    (await listTests(away.db)).find(({ slug }) => slug === 'ganz-2'),
    { definition: { name: 'Unser' }, edited: true },
  )
  const theirs = await importUpload(away.db, commandLineActor(), archive, {
    ...OPTIONS,
    sourceId: copy,
    keep: 'theirs',
  })
  t.strictSame(theirs.stats.tests, { ...NONE, updated: 1, unchanged: 3 })
  t.match(
    (await listTests(away.db)).find(({ slug }) => slug === 'ganz-2'),
    { definition: { name: 'Ganz' }, edited: false },
  )
})

t.test('mirror archives tests that are missing', async (t) => {
  await home.db.updateTable('tests').set({ archived_at: new Date() }).where('slug', '=', 'entwurf').execute()
  const without = await exportSource(home.db, source)
  const copy = (
    await away.db.selectFrom('content_sources').select('id').where('name', '=', 'Kopie').executeTakeFirstOrThrow()
  ).id
  const check = await checkUpload(away.db, without, { ...OPTIONS, sourceId: copy, mirror: true })
  t.strictSame(check.stats.tests, { ...NONE, unchanged: 3, archived: 1 })
})
