import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import type { Kysely } from 'kysely'
import { PNG } from 'pngjs'
import type { Test } from 'tap'
import type { Database } from '../../../db/types.js'
import { commandLineActor } from '../../../src/commands/actor.js'
import { parseLogo } from '../../../src/domain/company/logo.js'
import { importContent } from '../../../src/services/content/folder/import.js'
import { deckFile, writeContentFolder } from '../content.js'
import { createCheatsheet, createDeck, createUser, PASSWORD } from '../factories.js'
import { startIdentityProvider } from '../identity-provider.js'
import { checkerOf, startService } from '../service.js'
import { oidcSettings } from '../sign-in.js'
import { CARDS, publishTest } from '../taken-tests.js'
import { createDeckIn, createSheetIn } from '../variants.js'
import { addWebhook } from '../webhooks.js'
import { type FuzzOptions, type FuzzReport, fuzz } from './index.js'
import { KNOWN_AUTHOR, KNOWN_EXTERNAL_ID, KNOWN_ID, KNOWN_PICTURE, KNOWN_TESTS, KNOWN_VARIANT } from './requests.js'
import { agent } from './send.js'

/** Addresses of the service; an https address changes the names of its cookies. Both support passkeys. */
export const [HTTP_URL, HTTPS_URL] = ['http://localhost:3999/', 'https://localhost:3999/']

/** Sends random requests to a new service with content of each kind. */
export async function fuzzService(
  t: Test,
  { publicUrl, ...options }: { publicUrl: string } & Omit<FuzzOptions, 'origin' | 'root'>,
): Promise<FuzzReport> {
  const contentDir = await writeContentFolder(t, {
    'decks/git.md': deckFile(
      'Git',
      Array.from({ length: 30 }, (_, index) => ({ id: `karte-${index}` })),
    ),
    'cheatsheets/git-befehle.md': '# Git\n\n`git stash` legt Änderungen beiseite.\n\n![Ein Baum](baum.gif)\n',
  })
  await writeFile(`${contentDir}/cheatsheets/baum.gif`, KNOWN_PICTURE)
  const provider = await startIdentityProvider(t, `${publicUrl}api/auth/oidc/callback`)
  const logo = parseLogo(PNG.sync.write(new PNG({ width: 1, height: 1 })))
  if ('problem' in logo) throw new Error(logo.problem)
  const config = {
    contentDir,
    companyLogo: logo,
    trustProxy: ['127.0.0.1'],
    corsOrigins: ['https://app.example.org'],
    publicUrl,
    oidc: oidcSettings(provider, publicUrl),
  }
  const { app, db } = await startService(t, { config })
  await importContent(db, commandLineActor(), contentDir)
  const { id: rootId, username } = await createUser(db, { is_admin: true })
  await createPersons(db)
  // This user has a high id, because the requests delete users with low ids.
  await createUser(db, { id: KNOWN_ID, username: KNOWN_AUTHOR, is_author: true })
  await createSources(db, KNOWN_ID)
  await createTeams(db)
  await createTests(db)
  await createAssignments(db, rootId)
  await createVariants(db)
  await createWebhooks(db)
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => agent.destroy())
  const { port } = app.server.address() as AddressInfo
  const report = await fuzz({
    ...options,
    origin: `http://127.0.0.1:${port}`,
    root: { username, password: PASSWORD },
    check: checkerOf(app),
  })
  t.comment(JSON.stringify(report.statuses), `${report.sentAgain} again, slowest: ${Math.round(report.slowestMs)} ms`)
  t.strictSame(report.faults, [], (report.faults[0] ?? 'no faults').slice(0, 500))
  t.equal(report.sent, options.requests)
  return report
}

/**
 * Creates 60 sources, of which the first one has content, and one with a high id, which no request deletes. It has cards
 * with the user's reports.
 */
async function createSources(db: Kysely<Database>, userId: number): Promise<void> {
  const uploaded = { kind: 'table', name: 'Tabelle', file_name: null, size_bytes: 1 } as const
  const written = { ...uploaded, kind: 'written', size_bytes: 0 } as const
  const sources = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? written : uploaded))
  await db.insertInto('content_sources').values(sources).execute()
  await db
    .insertInto('content_sources')
    .values({ ...written, id: KNOWN_ID })
    .execute()
  const deck = await createDeck(db, { slug: 'sql' })
  const other = await createDeck(db, { slug: 'linux' })
  await db
    .insertInto('imported_decks')
    .values([
      { deck_id: deck.id, source_id: KNOWN_ID, source_key: 'sql' },
      { deck_id: other.id, source_id: 1, source_key: 'linux' },
    ])
    .execute()
  // These cards get the ids from 31, because the content folder has 30 cards.
  const cards = await db
    .insertInto('cards')
    .values(Array.from({ length: 30 }, (_, index) => ({ deck_id: deck.id, question: `Frage ${index}`, answer: 'A' })))
    .returning('id')
    .execute()
  await db
    .insertInto('imported_cards')
    .values(cards.map(({ id }, index) => ({ card_id: id, deck_id: deck.id, key: `karte-${index}` })))
    .execute()
  const suggestion = { suggested_question: 'Besser?', suggested_answer: 'Ja' }
  await db
    .insertInto('card_reports')
    .values(cards.map(({ id }) => ({ card_id: id, user_id: userId, text: 'Falsch', ...suggestion })))
    .execute()
  const sheet = await createCheatsheet(db, { slug: 'sql' })
  await db
    .insertInto('imported_cheatsheets')
    .values({ cheatsheet_id: sheet.id, source_id: 1, source_key: 'sql' })
    .execute()
  // Each update creates a second version.
  await db.updateTable('cards').set({ answer: 'Zweite Fassung' }).where('deck_id', '=', deck.id).execute()
  await db.updateTable('cheatsheets').set({ content_md: 'Zweite Fassung' }).where('id', '=', sheet.id).execute()
}

async function createTests(db: Kysely<Database>): Promise<void> {
  const cards = Array.from({ length: 30 }, () => CARDS.text)
  for (const slug of Object.keys(KNOWN_TESTS)) {
    const test = await publishTest(db, { attempts: null, review_when: 'now' }, { cards, sourceId: KNOWN_ID })
    await db.updateTable('tests').set({ slug }).where('id', '=', test.id).execute()
  }
}

/** Creates English variants. */
async function createVariants(db: Kysely<Database>): Promise<void> {
  const find = (table: 'decks' | 'cheatsheets' | 'tests', slug: string) =>
    db.selectFrom(table).select('id').where('slug', '=', slug).executeTakeFirstOrThrow()
  const source = { source_id: KNOWN_ID, source_key: KNOWN_VARIANT }
  const deck = await createDeckIn(db, 'en', KNOWN_VARIANT, ['What is a stash?'], (await find('decks', 'git')).id)
  await db.updateTable('imported_decks').set(source).where('deck_id', '=', deck.id).execute()
  const original = await find('cheatsheets', 'git-befehle')
  const sheet = await createSheetIn(db, 'en', KNOWN_VARIANT, 'How to stash', original.id)
  await db.updateTable('imported_cheatsheets').set(source).where('cheatsheet_id', '=', sheet.id).execute()
  for (const [slug, variant] of Object.entries(KNOWN_TESTS)) {
    const { id } = await publishTest(db, {}, { sourceId: KNOWN_ID })
    const translation = { slug: variant, lang: 'en', translation_of: (await find('tests', slug)).id }
    await db.updateTable('tests').set(translation).where('id', '=', id).execute()
  }
}

/** Creates persons with the lowest free ids, and one with a high id and an external id, which no request deletes. */
async function createPersons(db: Kysely<Database>): Promise<void> {
  for (let count = 0; count < 40; count++) await createUser(db)
  await createUser(db, { id: KNOWN_ID + 1, external_id: KNOWN_EXTERNAL_ID })
}

/** Creates webhooks whose address is refused when they send, so that no request leaves the machine. */
async function createWebhooks(db: Kysely<Database>): Promise<void> {
  for (let count = 0; count < 30; count++) await addWebhook(db, 'https://127.0.0.1/')
}

/** Creates teams with the lowest ids, and one with a high id and an external id, which no request deletes. */
async function createTeams(db: Kysely<Database>): Promise<void> {
  const teams = Array.from({ length: 60 }, (_, index) => ({ name: `Team ${index}` }))
  const known = { id: KNOWN_ID, name: 'Team von außen', external_id: KNOWN_EXTERNAL_ID }
  await db
    .insertInto('teams')
    .values([...teams, known])
    .execute()
}

async function createAssignments(db: Kysely<Database>, userId: number): Promise<void> {
  const { id: testId } = await db.selectFrom('tests').select('id').limit(1).executeTakeFirstOrThrow()
  const none = { cheatsheet_id: null, test_id: null, deck_id: null, share_percent: null }
  const assignments = await db
    .insertInto('assignments')
    .values(
      Array.from({ length: 60 }, (_, index) => ({
        title: `Aufgabe ${index}`,
        description: '',
        starts_on: '2026-01-01',
        due_on: '2026-06-30',
        due_days: null,
        every_months: null,
        window_end: null,
        opens_days_before: null,
        everybody_from: null,
        mandatory: true,
        retention_years: 2,
        responsible_id: userId,
        created_by: userId,
        created_on: '2026-01-01',
      })),
    )
    .returning('id')
    .execute()
  // There are as many parts as the API allows, so that most random indexes refer to a sheet.
  const sheets = Array.from({ length: 19 }, (_, position) => ({ position, kind: 'sheet' as const, title: 'Lesen' }))
  const parts = [
    ...sheets.map((part) => ({ ...none, ...part })),
    { ...none, position: 19, kind: 'test' as const, title: 'Prüfen', test_id: testId },
  ]
  await db
    .insertInto('assignment_parts')
    .values(assignments.flatMap(({ id }) => parts.map((part) => ({ ...part, assignment_id: id }))))
    .execute()
  const assigned = assignments.map(({ id }) => ({ assignment_id: id, user_id: userId }))
  await db
    .insertInto('assignment_users')
    .values(assigned.map((one) => ({ ...one, added_on: '2026-01-01' })))
    .execute()
  const occurrence = {
    content_version: 1,
    counts_from: new Date('2026-01-01'),
    period: '2026-01-01',
    due_on: '2026-06-30',
  }
  await db
    .insertInto('occurrences')
    .values(assigned.map((one) => ({ ...one, ...occurrence })))
    .execute()
}
