import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import t, { type Test } from 'tap'
import { migrateTo, migrateToLatest } from '../../db/migrate.js'
import { migrations } from '../../db/migrations/index.js'
import { insertAuditEntry } from '../../db/queries/accounts/audit.js'
import { insertToken } from '../../db/queries/accounts/tokens.js'
import { suspendCard, writeNote } from '../../db/queries/review/cards.js'
import { setDeckRetention, switchDeck } from '../../db/queries/review/decks.js'
import { updateSettings } from '../../db/queries/review/settings.js'
import type { Database } from '../../db/types.js'
import { restore } from '../../src/commands/backup.js'
import { createAddressRules } from '../../src/domain/webhooks/networks.js'
import { reportCard } from '../../src/services/content/reports.js'
import { applyReview } from '../../src/services/review/apply-review.js'
import { indexContent } from '../../src/services/search/index-content.js'
import { searchAll } from '../../src/services/search/search.js'
import { changeWebhook, sendAgain } from '../../src/services/webhooks/webhooks.js'
import { ROOT } from '../support/constants.js'
import { createDatabaseToSpoil, TEST_DATABASE_URL } from '../support/database.js'
import { createCard, createCheatsheet, createDeck, createProgress, createUser } from '../support/factories.js'
import {
  createStoreVariables,
  firstLogin,
  loginOver,
  PROGRAM_OPTIONS,
  shareProgram,
  startProcess,
  withStore,
} from '../support/process.js'
import { startReceiver } from '../support/receiver.js'
import { SCRATCH } from '../support/scratch.js'
import { serveStore } from '../support/serve-store.js'
import { CARDS, publishTest } from '../support/taken-tests.js'
import { addWebhook, announceReports, LOOPBACK, openSender, sendDue } from '../support/webhooks.js'

const folder = await mkdtemp(path.join(SCRATCH, 'svc-training-backup-'))
t.teardown(() => rm(folder, { recursive: true }))

type Variables = Record<string, string>

const program = shareProgram(t)
const run = (variables: Variables, ...parts: string[]) => program(variables, parts)

async function fill(db: Kysely<Database>): Promise<void> {
  const user = await createUser(db, { username: 'erika', display_name: 'Tab\t\\ "Anführung" 😀 \u2028 Ende\n' })
  const deck = await createDeck(db, { slug: 'archiv', name: 'Ärger' })
  const card = await createCard(db, { deck_id: deck.id, question: 'NULL', answer: '{"a","b"}' })
  const archived = await createCard(db, { deck_id: deck.id, archived_at: new Date() })
  const day = { last_rating: 'hard', next_review: '2026-12-24' } as const
  await createProgress(db, { user_id: user.id, card_id: card.id, ...day })
  await createProgress(db, { user_id: user.id, card_id: archived.id, last_rating: null, next_review: null })
  await db
    .insertInto('quiz_results')
    .values({ user_id: user.id, score_percent: -13n, total_questions: 2 ** 53 - 1, correct_answers: -1 })
    .execute()
  await createCheatsheet(db, { content_md: `# Groß\n${'ß'.repeat(100_000)}` })
  await createCheatsheet(db, { title: 'Archiviert', archived_at: new Date() })
  await insertToken(db, {
    user_id: user.id,
    name: 'nachts',
    token_hash: Buffer.alloc(32, 7),
    lifetimeDays: 30,
    scopes: ['read'],
  })
  await db
    .insertInto('identities')
    .values({ user_id: user.id, issuer: 'https://login.example.org', subject: 'Ä\t"1' })
    .execute()
  await db
    .insertInto('passkeys')
    .values({
      user_id: user.id,
      name: 'Schlüssel „blau“',
      credential_id: Buffer.alloc(20, 1),
      public_key: Buffer.alloc(77, 2),
      user_handle: Buffer.alloc(32, 3),
      transports: ['internal', 'hybrid'],
    })
    .execute()
  const suggestion = { question: 'Besser „so“?', answer: 'Ja,\tso.' }
  await reportCard(db, user.id, card.id, { text: 'Falsch:\tüber „Tabs“', suggestion })
  const actor = { actor_id: user.id, actor: 'erika', via: 'session', address: '2001:db8::1' } as const
  await insertAuditEntry(db, actor, { action: 'user.create', details: { is_admin: true } })
  await suspendCard(db, user.id, card.id)
  await switchDeck(db, user.id, deck.slug, false)
  await db.insertInto('chosen_decks').values({ user_id: user.id, deck_id: deck.id }).execute()
  await db.insertInto('chosen_languages').values({ user_id: user.id, deck_id: deck.id, lang: 'en' }).execute()
  await updateSettings(db, user.id, { desired_retention: 0.93 })
  const clock = { moment: (at = new Date()) => ({ at, today: '2026-11-21' }) }
  const review = { card_id: card.id, rating: 'hard', client_id: 'ä', duration_ms: 4_200, reviewed_at: null } as const
  await applyReview(db, { userId: user.id, languages: [] }, clock, review)
  await writeNote(db, user.id, card.id, 'Eselsbrücke:\t„😀“')
  await setDeckRetention(db, user.id, deck.slug, 0.95)
  await db.insertInto('deck_defaults').values({ deck_id: deck.id, desired_retention: 0.8 }).execute()
  await db
    .insertInto('form_requests')
    .values({
      user_id: user.id,
      kind: 'deck',
      client_id: 'Ä-12345678',
      body_hash: Buffer.alloc(32, 5),
      object_id: deck.id,
    })
    .execute()
  await db.insertInto('deck_versions').values({ deck_id: deck.id, version: 3 }).execute()
  await db.insertInto('checked_cards').values({ deck_id: deck.id, card_id: card.id, version: 2 }).execute()
  const fitted = { model: 'fsrs-6', w: [0.1, 1e-7], items: 400, log_loss_before: 0.4, log_loss_after: 0.3 }
  await db
    .insertInto('fitted_parameters')
    .values({ user_id: user.id, current: JSON.stringify(fitted), tried_at: new Date(), tried_items: 400 })
    .execute()
  await db.insertInto('job_runs').values({ name: 'fit', finished_on: '2026-11-21', summary: '{"tried":1}' }).execute()
  await fillSource(db)
  await fillTest(db, user.id)
  await fillTeam(db, user.id)
  await fillAssignment(db, user.id)
  const removed = await createUser(db)
  await db.deleteFrom('users').where('id', '=', removed.id).execute()
}

async function fillTeam(db: Kysely<Database>, userId: number): Promise<void> {
  const team = await db
    .insertInto('teams')
    .values({ name: 'Werkstatt „Süd“', external_group: 'CN=süd,OU=ä', external_id: 'T-3' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const member = { team_id: team.id, user_id: userId, from_on: '2026-01-01' }
  await db
    .insertInto('team_members')
    .values([
      { ...member, role: 'lead', origin: 'hand' },
      { ...member, role: 'member', origin: 'claim', until_on: '2026-06-30' },
    ])
    .execute()
}

async function fillAssignment(db: Kysely<Database>, userId: number): Promise<void> {
  const { id } = await db
    .insertInto('assignments')
    .values({
      title: 'Brandschutz „Halle 3“',
      description: 'ä',
      starts_on: '2026-01-01',
      due_on: null,
      due_days: 30,
      every_months: 12,
      window_end: '03-31',
      opens_days_before: 30,
      everybody_from: '2026-01-01',
      mandatory: true,
      retention_years: 2,
      responsible_id: userId,
      created_by: userId,
      created_on: '2026-01-01',
      version: 2,
      renewed_on: '2026-02-01',
      renewed_at: new Date('2026-02-01T08:00:00.123Z'),
      corrected_at: new Date('2026-02-01T09:00:00.123Z'),
      planned_on: '2026-02-02',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: deck_id } = await db.selectFrom('decks').select('id').limit(1).executeTakeFirstOrThrow()
  const { id: cheatsheet_id } = await db.selectFrom('cheatsheets').select('id').limit(1).executeTakeFirstOrThrow()
  const { id: test_id } = await db.selectFrom('tests').select('id').limit(1).executeTakeFirstOrThrow()
  const none = { assignment_id: id, cheatsheet_id: null, test_id: null, deck_id: null, share_percent: null }
  await db
    .insertInto('assignment_parts')
    .values([
      { ...none, position: 0, kind: 'sheet', title: 'Lesen', cheatsheet_id },
      { ...none, position: 1, kind: 'test', title: 'Prüfen', test_id },
      { ...none, position: 2, kind: 'deck', title: 'Lernen', deck_id, share_percent: 80 },
      { ...none, position: 3, kind: 'personal', title: 'Rundgang' },
    ])
    .execute()
  const { id: team_id } = await db.selectFrom('teams').select('id').limit(1).executeTakeFirstOrThrow()
  await db.insertInto('assignment_teams').values({ assignment_id: id, team_id, added_on: '2026-01-01' }).execute()
  await db
    .insertInto('assignment_users')
    .values({ assignment_id: id, user_id: userId, added_on: '2026-01-02' })
    .execute()
  const occurrence = { assignment_id: id, user_id: userId, content_version: 1, counts_from: new Date('2026-01-01') }
  const [first] = await db
    .insertInto('occurrences')
    .values([
      { ...occurrence, period: '2026-01-01', due_on: '2026-01-31', extended_until: '2026-02-28', extra_attempts: 1 },
      {
        ...occurrence,
        period: '2026-02-01',
        due_on: '2026-03-03',
        state: 'recognised',
        reason: 'Zeugnis „B“',
        covered_until: '2027-06-30',
        done_at: new Date('2026-02-03T10:00:00Z'),
        done_on: '2026-02-03',
      },
    ])
    .returning('id')
    .execute()
  const held = { held_on: '2026-01-05', confirmed_by: 'Erika', note: 'mit Löscher' }
  await db
    .insertInto('occurrence_parts')
    .values({ occurrence_id: first?.id ?? 0, position: 3, done_at: new Date('2026-01-06T10:00:00Z'), ...held })
    .execute()
  const proof = { user_id: userId, assignment_id: id, snapshot: '{"name":"Ĝ"}', completed_on: '2026-01-06' }
  const revoked = { revoked_at: new Date('2026-03-01'), revocation: 'Versehen', valid_until: '2027-01-06' }
  await db
    .insertInto('proofs')
    .values([
      {
        ...proof,
        code: 'A'.repeat(26),
        occurrence_id: 1,
        issued_at: new Date('2026-01-06'),
        retention_years: 2,
        replaced_by: 'B'.repeat(26),
      },
      {
        ...proof,
        code: 'B'.repeat(26),
        occurrence_id: 1,
        issued_at: new Date('2026-01-07'),
        retention_years: 2,
        ...revoked,
        delete_after: '2029-01-01',
      },
    ])
    .execute()
  const mail = { user_id: userId, day: '2026-01-06', address: 'erika@example.org', subject: 'Fällig: „Lesen“' }
  const at = new Date('2026-01-06T07:00:00Z')
  await db
    .insertInto('mails')
    .values([
      { ...mail, kind: 'tasks', body: 'Zeile\n.\n', next_attempt_at: at },
      { ...mail, kind: 'due_cards', body: null, next_attempt_at: at, state: 'sent', attempts: 2, sent_at: at },
    ])
    .execute()
  await db
    .insertInto('mail_reminders')
    .values({ occurrence_id: first?.id ?? 0, kind: 'in_14', reminded_on: '2026-01-06' })
    .execute()
  const secret = { user_id: userId, token_hash: Buffer.alloc(32, 9) }
  await db
    .insertInto('address_confirmations')
    .values({ ...secret, address: 'neu@example.org', expires_at: at })
    .execute()
  await db.insertInto('calendar_tokens').values(secret).execute()
  const { id: webhook_id } = await db
    .insertInto('webhooks')
    .values({
      name: 'Personalsystem',
      url: 'https://hr.example.org/',
      kind: 'standard',
      events: ['proof.issued', 'content.published'],
      include_names: true,
      secret: Buffer.alloc(32, 9),
      // A restore pauses webhooks and settles their events.
      paused_at: new Date('2026-01-06T08:00:00Z'),
      pause_cause: 'hand',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('webhook_events')
    .values({
      webhook_id,
      type: 'proof.issued',
      data: '{"person":{"id":1,"external_id":"Ä\\t1"}}',
      state: 'delivered',
      answer: 'ok',
    })
    .execute()
}

async function fillTest(db: Kysely<Database>, userId: number): Promise<void> {
  const { id: testId, version, questions } = await publishTest(db, {}, { cards: [CARDS.single] })
  const questionId = questions[0]?.id as number
  const now = new Date()
  const { id } = await db
    .insertInto('attempts')
    .values({
      test_id: testId,
      version,
      user_id: userId,
      client_id: 'a',
      number: 1,
      counted: true,
      started_at: now,
      deadline_at: null,
      last_saved_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('attempt_questions')
    .values({ attempt_id: id, slot: 0, question_id: questionId, places: '[]', answer: '{"option_ids":["ä"]}' })
    .execute()
  await db.insertInto('question_sums').values({ question_id: questionId, sums: '{"n":1}' }).execute()
  await db
    .insertInto('question_reports')
    .values({ question_id: questionId, persons: 10, cells: '{"unanswered":5}', published_at: now })
    .execute()
}

async function fillSource(db: Kysely<Database>): Promise<void> {
  const source = await db
    .insertInto('content_sources')
    .values({
      kind: 'anki',
      name: 'Ärztliches',
      file_name: null,
      size_bytes: 2 ** 40,
      created_by: 'erika',
      updated_by: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const deck = await createDeck(db, { slug: 'a-b', name: 'A::B' })
  await db
    .insertInto('imported_decks')
    .values({ deck_id: deck.id, file: null, source_id: source.id, source_key: 'A::B' })
    .execute()
  await db.insertInto('offered_decks').values({ deck_id: deck.id }).execute()
  const card = await createCard(db, { deck_id: deck.id })
  await db
    .insertInto('imported_cards')
    .values({ card_id: card.id, deck_id: deck.id, key: 'k', guid: '"\\', ord: 3 })
    .execute()
  await db
    .insertInto('card_difficulties')
    .values({ card_id: card.id, checked_persons: 12, persons: 10, forgotten: 5, published_at: new Date() })
    .execute()
  await db.insertInto('setup_steps').values({ id: 'backup', done: true }).execute()
  const bytes = randomBytes(2 ** 21)
  const sha256 = createHash('sha256').update(bytes).digest()
  await db.insertInto('media').values({ sha256, extension: 'png', size_bytes: bytes.length, bytes }).execute()
  await fillChanges(db, source.id, card.id, `![](media/${sha256.toString('hex')}.png)`)
}

async function fillChanges(db: Kysely<Database>, sourceId: number, cardId: number, picture: string): Promise<void> {
  const editor = await createUser(db, {
    disabled_on: '2026-12-31',
    email: 'erika@example.org',
    email_confirmed_at: new Date(),
    personnel_number: '00417',
    external_id: 'P-417',
  })
  await db.insertInto('source_editors').values({ source_id: sourceId, user_id: editor.id }).execute()
  const { id: sheetId } = await createCheatsheet(db)
  const change = await db
    .insertInto('content_changes')
    .values({ user_id: editor.id, how: 'edit', source_id: sourceId, summary: '{"cards": 1}' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const after = JSON.stringify({ deck_id: null, archived: false, draft: true, version: 2 })
  await db
    .insertInto('content_change_items')
    .values({ change_id: change.id, card_id: cardId, before: null, after })
    .execute()
  await db.transaction().execute(async (transaction) => {
    await sql`select set_config('training.change_id', ${String(change.id)}, true)`.execute(transaction)
    await transaction.updateTable('cards').set({ answer: picture }).where('id', '=', cardId).execute()
    await transaction.updateTable('cheatsheets').set({ title: 'Neu' }).where('id', '=', sheetId).execute()
  })
}

/**
 * Returns the rows of each table as text, except for migrations, short-lived rows such as sessions, the log of changes,
 * and the search index.
 */
async function dump(db: Kysely<Database>): Promise<Record<string, string[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name not like 'kysely%' and table_name not like 'search%'
      and table_name not in ('sessions', 'login_failures', 'spent_logout_tokens', 'passkey_challenges', 'changes')
    order by table_name`.execute(db)
  const all: Record<string, string[]> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select (entry.*)::text as row from ${sql.table(name)} as entry order by 1`.execute(db)
    all[name] = rows.map(({ row }) => row)
  }
  return all
}

const store = await serveStore(t, await createStoreVariables(t))
const source = store.variables()
await run(source, 'import')
const original = await withStore(source, async (db) => {
  await fill(db)
  return dump(db)
})
const file = path.join(folder, 'store.gz')

t.test('the saved store has rows in every table, including new ones', async (t) => {
  const empty = Object.entries(original).filter(([, rows]) => rows.length === 0)
  t.strictSame(empty, [], '`fill` must add a row to each table')
  t.ok(Object.keys(original).length >= 19)
})

t.test('a backup is a single file that only its owner may read', async (t) => {
  t.match(await run(source, 'backup', file), { code: 0, stdout: `Gesichert: ${file}\n`, stderr: '' })
  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.match(await run(source, 'backup', file), { code: 1, stderr: /gibt es schon/ })
  const lines = gunzipSync(await readFile(file))
    .toString()
    .split('\n')
  t.match(JSON.parse(lines[0] ?? ''), {
    format: 'svc-training-backup',
    version: 1,
    migrations: ['0001_users'],
  })
  t.notOk(
    lines.some((line) => line.startsWith('{"table":"sessions"')),
    'sessions end with a restore',
  )
  t.notOk(
    lines.some((line) => line.startsWith('{"table":"cheatsheet_texts"')),
    'rebuilt by a restore',
  )
  t.strictSame(await withStore(source, dump), original, 'nothing changed')
})

/** Checks that a restored store has the same rows, and that its triggers and sequences work. */
async function checkRestored(t: Test, target: Variables): Promise<void> {
  await withStore(target, async (db) => {
    t.strictSame(await dump(db), original)
    t.strictSame(await db.selectFrom('sessions').selectAll().execute(), [], 'all users must log in again')
    const last = await sql<{ id: number }>`select max(id) as id from users`.execute(db)
    const user = await createUser(db)
    // The user with the highest id was deleted before the backup; the sequence does not reuse that id.
    t.equal(user.id, (last.rows[0]?.id ?? 0) + 2)
    const { id } = await db.selectFrom('decks').select('id').where('slug', '=', 'archiv').executeTakeFirstOrThrow()
    await createCard(db, { deck_id: id })
    const { card_count } = await db
      .selectFrom('decks')
      .select('card_count')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    t.equal(card_count, 2, 'the triggers work')
    const reset = db.selectFrom('changes').select('kind').where('kind', '=', 'reset')
    t.equal((await reset.execute()).length, 1, 'an earlier `changed_since` is refused')
    t.ok(await indexContent(db, async () => true))
    t.match(await searchAll(db, 'ärger', 5), { hits: [{ slug: 'archiv' }] }, 'the search index is rebuilt')
  })
}

t.test('restores into an empty store with equal rows, ids and next ids', async (t) => {
  const target = await createStoreVariables(t)
  const restored = await run(target, 'restore', file)
  t.match(restored, { code: 0, stderr: '', stdout: /^users: 2$/m })
  t.match(restored.stdout, /^card_progress: 2$/m)
  t.match(restored.stdout, /^cards: 323$/m)
  t.match(restored.stdout, /stimmen mit der Sicherung überein/)
  await checkRestored(t, target)
})

t.test(
  'moves a store from the embedded database to PostgreSQL and back',
  { skip: !TEST_DATABASE_URL && 'needs a server' },
  async (t) => {
    const dataDir = await mkdtemp(path.join(folder, 'embedded-'))
    const back = path.join(folder, 'back.gz')
    t.match(await run({ DATA_DIR: dataDir }, 'restore', file), { code: 0 })
    t.match(await run({ DATA_DIR: dataDir }, 'backup', back), { code: 0 })
    const rows = (name: string) => readFile(name).then((bytes) => gunzipSync(bytes).toString().split('\n').slice(1))
    t.strictSame(await rows(back), await rows(file))
    const target = await createStoreVariables(t)
    t.match(await run(target, 'restore', back), { code: 0 })
    await checkRestored(t, target)
    await checkRestored(t, { DATA_DIR: dataDir })
  },
)

t.test('a restored store sends nothing of the backup, and nothing at all until its webhooks are resumed', async (t) => {
  const receiver = await startReceiver(t)
  const saved = await serveStore(t, await createStoreVariables(t))
  const copy = path.join(folder, 'webhooks.gz')
  const reports = () => receiver.received.map(({ body }) => body.data.report?.id)
  const { id } = await withStore(saved.variables(), async (db) => {
    await migrateToLatest(db)
    const webhook = await addWebhook(db, receiver.url)
    await announceReports(db, [1])
    await sendDue(openSender(t, db))
    await announceReports(db, [2, 3])
    return webhook
  })
  t.match(await run(saved.variables(), 'backup', copy), { code: 0 })
  await withStore(saved.variables(), (db) => sendDue(openSender(t, db)))
  t.strictSame(reports(), [1, 2, 3], 'the saved store goes on')

  const target = await serveStore(t, await createStoreVariables(t, 'empty'))
  const restored = await run(target.variables(), 'restore', copy)
  t.match(restored, { code: 0, stdout: /Webhooks sind pausiert/ })
  await withStore(target.variables(), async (db) => {
    const sender = openSender(t, db)
    await announceReports(db, [4])
    await sendDue(sender)
    t.strictSame(reports(), [1, 2, 3], 'the copy sends nothing')
    t.match(await db.selectFrom('webhooks').selectAll().execute(), [{ id, pause_cause: 'restore', paused_at: Date }])
    const events = await db.selectFrom('webhook_events').selectAll().orderBy('id').execute()
    t.match(events, [
      { state: 'delivered', fault: null },
      { state: 'failed', fault: 'restore', attempts: 0 },
      { state: 'failed', fault: 'restore' },
      { state: 'waiting' },
    ])
    const actor = { actor_id: null, actor: 'test', via: 'cli', address: null } as const
    await changeWebhook(db, actor, { id, change: { paused: false }, at: new Date() })
    await sendDue(sender)
    t.strictSame(reports(), [1, 2, 3, 4], 'what happened after the restore')
    const direct = { rules: createAddressRules([LOOPBACK]), defaultLanguage: 'de' } as const
    const signal = new AbortController().signal
    await sendAgain(db, actor, { id, delivery: events[1]?.id ?? 0 }, { ...direct, signal })
    t.strictSame(reports(), [1, 2, 3, 4, 2], 'an administrator can send an event of the backup')
    t.equal(receiver.received.at(-1)?.id, receiver.received[1]?.id, 'with its id')
  })
})

/** Inserts a webhook for each cause of a pause, with a waiting event. The schema may be that of `0046_webhooks`. */
async function fillWebhooks(db: Kysely<Database>): Promise<void> {
  await sql`
    insert into webhooks (name, url, kind, events, include_names, secret, paused_at, pause_cause)
    select coalesce(cause, 'none'), 'https://example.org/', 'standard', array['report.created'], false, 'secret'::bytea,
      case when cause is not null then timestamptz '2026-11-21' end, cause
    from unnest(array[null, 'hand', 'faults']) as given (cause)`.execute(db)
  await sql`
    insert into webhook_events (webhook_id, type, data, attempts, status, answer)
    select id, 'report.created', '{}', 2, 503, 'Service Unavailable' from webhooks`.execute(db)
}

async function listHeld(db: Kysely<Database>): Promise<unknown[]> {
  const { rows } = await sql`
    select name, pause_cause, paused_at = timestamptz '2026-11-21' as is_old, state, status, fault, answer, attempts
    from webhooks join webhook_events on webhook_id = webhooks.id order by webhooks.id`.execute(db)
  return rows
}

const SETTLED = { is_old: false, state: 'failed', status: null, fault: 'restore', answer: null, attempts: 2 }
const BY_HAND = {
  name: 'hand',
  pause_cause: 'hand',
  is_old: true,
  state: 'waiting',
  status: 503,
  fault: null,
  answer: 'Service Unavailable',
  attempts: 2,
}
const HELD = [
  { name: 'none', pause_cause: 'restore', ...SETTLED },
  BY_HAND,
  { name: 'faults', pause_cause: 'restore', ...SETTLED },
]

const names = Object.keys(migrations).sort()
const held = path.join(folder, 'held.gz')
const older = path.join(folder, 'older.gz')
for (const { schema, applied, copy } of [
  { schema: 'current', applied: names, copy: held },
  { schema: 'previous', applied: names.filter((name) => name <= '0048_changes'), copy: older },
]) {
  t.test(`a backup of the ${schema} schema is restored with held webhooks`, async (t) => {
    const saved = await serveStore(t, await createStoreVariables(t, 'empty'))
    await withStore(saved.variables(), async (db) => {
      await migrateTo(db, applied)
      await fillWebhooks(db)
    })
    t.match(await run(saved.variables(), 'backup', copy), { code: 0 })
    const target = await serveStore(t, await createStoreVariables(t, 'empty'))
    const restored = await run(target.variables(), 'restore', copy)
    t.match(restored, { code: 0, stdout: /^webhook_events: 3$/m, stderr: '' })
    await withStore(target.variables(), async (db) => t.strictSame(await listHeld(db), HELD))
  })
}

t.test('a restore that ends before the migration has held the webhooks', async (t) => {
  const target = await createDatabaseToSpoil()
  t.teardown(() => target.close())
  const name = '9999_later'
  t.teardown(() => delete migrations[name])
  migrations[name] = { up: () => Promise.reject(new Error('the process ends')) }
  await t.rejects(restore(target.db, held, false), { message: 'the process ends' })
  t.strictSame(await listHeld(target.db), [
    { ...HELD[0], pause_cause: 'hand' },
    BY_HAND,
    { ...HELD[2], pause_cause: 'hand' },
  ])
})

t.test('the statements for restores with the tools of PostgreSQL hold the same webhooks', async (t) => {
  const target = await createDatabaseToSpoil()
  t.teardown(() => target.close())
  await fillWebhooks(target.db)
  const text = await readFile(path.join(ROOT, 'docs', 'operations.md'), 'utf8')
  const [block] = [...text.matchAll(/^```sql\n(update webhooks [^`]+)```$/gm)]
  for (const statement of block?.[1]?.split(/;\s*/).filter((part) => part !== '') ?? []) {
    await sql.raw(statement).execute(target.db)
  }
  t.strictSame(await listHeld(target.db), HELD)
})

t.test('replaces an existing store only on request', async (t) => {
  const target = await createStoreVariables(t)
  const service = await startProcess(t, target)
  await loginOver(service.url, firstLogin(service, target))
  if (target.DATABASE_URL === undefined) {
    t.match(await run(target, 'restore', file), { code: 1, stderr: /laufenden Prozess.*Dienst dafür anhalten\.$/m })
    t.match(await run(target, 'backup', `${file}.2`), { code: 1, stderr: /laufenden Prozess.*Dienst dafür anhalten/ })
  } else {
    t.match(
      await run(target, 'backup', `${file}.2`),
      { code: 0 },
      'a database on a server can be saved while the service runs',
    )
  }
  await service.stop()
  const before = await withStore(target, async (db) => {
    const rows = await dump(db)
    await t.rejects(restore(db, file, false), { message: /nicht leer.*--replace/ })
    return [rows, await dump(db)]
  })
  t.strictSame(before[1], before[0])
  const replaced = await run(target, 'restore', '--replace', '--json', file)
  const { cheatsheet_texts: _, ...saved } = original
  const rows = Object.fromEntries(Object.entries(saved).map(([name, all]) => [name, all.length]))
  t.strictSame([replaced.code, JSON.parse(replaced.stdout)], [0, { counts: rows }])
  await checkRestored(t, target)
})

t.test('a damaged, truncated or other file changes nothing', async (t) => {
  const target = await createDatabaseToSpoil()
  t.teardown(() => target.close())
  const empty = await dump(target.db)
  const bytes = await readFile(file)
  const text = gunzipSync(bytes).toString()
  const cut = path.join(folder, 'cut.gz')
  await writeFile(cut, bytes)
  await truncate(cut, bytes.length - 100)
  const cases: [string, RegExp][] = [
    [cut, /unvollständig oder beschädigt/],
    [path.join(folder, 'nowhere.gz'), /nicht lesbar \(ENOENT\)/],
    [folder, /nicht lesbar \(EISDIR\)/],
    [path.join(ROOT, 'package.json'), /keine Sicherung/],
  ]
  const variants: [string, string, RegExp][] = [
    ['short', text.split('\n').slice(0, -20).join('\n'), /unvollständig oder beschädigt/],
    [
      'lost',
      text
        .split('\n')
        .filter((line) => !line.includes('multiple_choice'))
        .join('\n'),
      /statt \d+ Zeilen/,
    ],
    [
      'orphaned',
      text.replace(/("table":"users"[^\n]+\n)\[[^\n]+\n/, '$1'),
      /passt nicht zusammen.*nichts wurde geändert/,
    ],
    ['empty', '', /keine Sicherung/],
    ['later', text.replace('"version":1', '"version":2'), /neueren Programmversion/],
    ['newer', text.replace(/("migrations":\[[^\]]+)/, '$1,"9999_later"'), /neueren Programmversion \(9999_later\)/],
  ]
  for (const [name, content, message] of variants) {
    const variant = path.join(folder, `${name}.gz`)
    await writeFile(variant, gzipSync(content))
    cases.push([variant, message])
  }
  for (const [name, message] of cases) {
    await t.rejects(restore(target.db, name, false), { message }, path.basename(name))
  }
  t.strictSame(await dump(target.db), empty)
  const told = await run(await createStoreVariables(t), 'restore', cut)
  t.match(told, { code: 1, stdout: '', stderr: /unvollständig oder beschädigt[^\n]*\n$/ })
})

t.test('migrates a backup of an older schema', async (t) => {
  const target = await createDatabaseToSpoil()
  t.teardown(() => target.close())
  // Simulates a restore by a later release: the backup ends with the previous migration, and the next migration sees
  // the restored rows.
  const name = '9999_later'
  t.teardown(() => delete migrations[name])
  migrations[name] = {
    up: async (db) => {
      await sql`alter table quiz_results add column later text`.execute(db)
      await sql`update quiz_results set later = deck_slug`.execute(db)
    },
  }
  await restore(target.db, file, false)
  const { rows } = await sql<{ later: string }>`select later from quiz_results`.execute(target.db)
  t.strictSame(rows, [{ later: 'all' }])
  await sql`alter table quiz_results drop column later`.execute(target.db)
  t.strictSame(await dump(target.db), original)
})

t.test('supports standard output and input instead of a file', async (t) => {
  const target = await createStoreVariables(t)
  const command = (variables: Variables, ...parts: string[]) =>
    spawn(process.execPath, [...PROGRAM_OPTIONS, path.join(ROOT, 'dist', 'src', 'cli.js'), ...parts], {
      env: variables,
      stdio: 'pipe',
    })
  await store.close()
  const from = command(store.variables(), 'backup', '-')
  const to = command(target, 'restore', '-')
  from.stdout.pipe(to.stdin)
  t.match((await to.stdout.toArray()).join(''), /überein/)
  await checkRestored(t, target)
})
