import { sql } from 'kysely'
import t from 'tap'
import { openDatabase } from '../../db/client.js'
import { isMigrated, migrateToLatest } from '../../db/migrate.js'
import type { Database } from '../../db/types.js'
import { createDatabase, createEmptyDatabase, onServer, TEST_DATABASE_URL } from '../support/database.js'

type ColumnNames = { [T in keyof Database]: Record<keyof Database[T], string> }

/** All columns of the type `Database`; the compiler requires exactly these. */
const COLUMNS: ColumnNames = {
  users: {
    id: 'integer',
    username: 'text',
    password_hash: 'text?',
    display_name: 'text',
    is_admin: 'boolean',
    is_author: 'boolean',
    created_at: 'timestamp with time zone',
    must_change_password: 'boolean',
    last_seen_on: 'date?',
    emergency: 'boolean',
    link_next_login: 'boolean',
    link_allowed_at: 'timestamp with time zone?',
    passkey_only: 'boolean',
    extra_time_percent: 'integer',
    disabled_on: 'date?',
    email: 'text?',
    email_confirmed_at: 'timestamp with time zone?',
    due_cards_mail_key: 'text?',
  },
  mails: {
    id: 'integer',
    user_id: 'integer',
    kind: 'text',
    day: 'date',
    address: 'text',
    subject: 'text',
    body: 'text?',
    state: 'text',
    attempts: 'integer',
    next_attempt_at: 'timestamp with time zone',
    claimed_at: 'timestamp with time zone?',
    sent_at: 'timestamp with time zone?',
    answer: 'text?',
    created_at: 'timestamp with time zone',
  },
  mail_reminders: {
    occurrence_id: 'integer',
    kind: 'text',
    reminded_on: 'date',
  },
  address_confirmations: {
    user_id: 'integer',
    address: 'text',
    token_hash: 'bytea',
    expires_at: 'timestamp with time zone',
  },
  calendar_tokens: {
    user_id: 'integer',
    token_hash: 'bytea',
    created_at: 'timestamp with time zone',
  },
  assignments: {
    id: 'integer',
    title: 'text',
    description: 'text',
    starts_on: 'date?',
    due_on: 'date?',
    due_days: 'integer?',
    every_months: 'integer?',
    window_end: 'text?',
    opens_days_before: 'integer?',
    everybody_from: 'date?',
    mandatory: 'boolean',
    retention_years: 'integer',
    responsible_id: 'integer?',
    created_by: 'integer?',
    created_on: 'date',
    created_at: 'timestamp with time zone',
    version: 'integer',
    renewed_on: 'date?',
    renewed_at: 'timestamp with time zone?',
    corrected_at: 'timestamp with time zone?',
    planned_on: 'date?',
    archived_at: 'timestamp with time zone?',
    edit_version: 'integer',
  },
  assignment_parts: {
    assignment_id: 'integer',
    position: 'integer',
    kind: 'text',
    title: 'text',
    cheatsheet_id: 'integer?',
    test_id: 'integer?',
    deck_id: 'integer?',
    share_percent: 'integer?',
  },
  assignment_teams: { assignment_id: 'integer', team_id: 'integer', added_on: 'date' },
  assignment_users: { assignment_id: 'integer', user_id: 'integer', added_on: 'date' },
  occurrences: {
    id: 'integer',
    assignment_id: 'integer',
    user_id: 'integer',
    period: 'date',
    due_on: 'date',
    extended_until: 'date?',
    state: 'text',
    reason: 'text?',
    covered_until: 'date?',
    done_at: 'timestamp with time zone?',
    done_on: 'date?',
    content_version: 'integer',
    counts_from: 'timestamp with time zone',
    extra_attempts: 'integer',
  },
  proofs: {
    id: 'integer',
    code: 'text',
    user_id: 'integer',
    assignment_id: 'integer',
    occurrence_id: 'integer',
    snapshot: 'text',
    completed_on: 'date',
    valid_until: 'date?',
    issued_at: 'timestamp with time zone',
    retention_years: 'integer',
    delete_after: 'date?',
    revoked_at: 'timestamp with time zone?',
    revocation: 'text?',
    replaced_by: 'text?',
  },
  occurrence_parts: {
    occurrence_id: 'integer',
    position: 'integer',
    done_at: 'timestamp with time zone',
    held_on: 'date?',
    confirmed_by: 'text?',
    note: 'text?',
  },
  teams: {
    id: 'integer',
    name: 'text',
    external_group: 'text?',
    created_at: 'timestamp with time zone',
    edit_version: 'integer',
  },
  team_members: {
    id: 'integer',
    team_id: 'integer',
    user_id: 'integer',
    role: 'text',
    origin: 'text',
    from_on: 'date',
    until_on: 'date?',
  },
  sessions: {
    id_hash: 'bytea',
    user_id: 'integer',
    created_at: 'timestamp with time zone',
    expires_at: 'timestamp with time zone',
    id: 'bigint',
    address: 'text?',
    user_agent: 'text?',
    authenticated_at: 'timestamp with time zone',
    authenticated_by: 'text',
    provider_session: 'text?',
  },
  identities: {
    id: 'integer',
    user_id: 'integer',
    issuer: 'text',
    subject: 'text',
    created_at: 'timestamp with time zone',
    last_used_at: 'timestamp with time zone?',
  },
  spent_logout_tokens: { token_hash: 'bytea', expires_at: 'timestamp with time zone' },
  passkeys: {
    id: 'integer',
    user_id: 'integer',
    name: 'text',
    credential_id: 'bytea',
    public_key: 'bytea',
    user_handle: 'bytea',
    counter: 'bigint',
    transports: 'ARRAY',
    backed_up: 'boolean',
    created_at: 'timestamp with time zone',
    last_used_at: 'timestamp with time zone?',
  },
  passkey_challenges: {
    challenge: 'bytea',
    purpose: 'text',
    user_id: 'integer?',
    user_handle: 'bytea?',
    network: 'text',
    expires_at: 'timestamp with time zone',
  },
  api_tokens: {
    id: 'integer',
    user_id: 'integer',
    name: 'text',
    token_hash: 'bytea',
    created_at: 'timestamp with time zone',
    last_used_at: 'timestamp with time zone?',
    expires_at: 'timestamp with time zone?',
    scopes: 'ARRAY',
  },
  login_failures: {
    network: 'text',
    account_hash: 'bytea',
    score: 'double precision',
    changed_at: 'timestamp with time zone',
    blocked_until: 'timestamp with time zone?',
  },
  audit_log: {
    id: 'bigint',
    at: 'timestamp with time zone',
    actor_id: 'integer?',
    actor: 'text',
    via: 'text',
    address: 'text?',
    action: 'text',
    target_id: 'integer?',
    target: 'text?',
    details: 'jsonb?',
  },
  decks: {
    id: 'integer',
    slug: 'text',
    name: 'text',
    description: 'text',
    card_count: 'integer',
    sort_order: 'integer',
    created_at: 'timestamp with time zone',
    updated_at: 'timestamp with time zone',
    archived_at: 'timestamp with time zone?',
  },
  cards: {
    id: 'integer',
    deck_id: 'integer',
    question: 'text',
    answer: 'text',
    level: 'text',
    sort_order: 'integer',
    exercise: 'jsonb?',
    created_at: 'timestamp with time zone',
    updated_at: 'timestamp with time zone',
    archived_at: 'timestamp with time zone?',
  },
  card_progress: {
    id: 'bigint',
    user_id: 'integer',
    card_id: 'integer',
    deck_id: 'integer?',
    last_rating: 'text?',
    next_review: 'date?',
    stability: 'double precision?',
    difficulty: 'double precision?',
    last_review: 'date?',
    reps: 'integer',
    lapses: 'integer',
    last_review_id: 'bigint?',
  },
  review_log: {
    id: 'bigint',
    user_id: 'integer',
    card_id: 'integer',
    deck_id: 'integer?',
    kind: 'text',
    undoes: 'bigint?',
    rating: 'text?',
    previous_rating: 'text?',
    phase: 'text?',
    interval_days: 'integer?',
    duration_ms: 'integer?',
    studied_on: 'date',
    created_at: 'timestamp with time zone',
    client_id: 'text?',
    before: 'jsonb?',
    after: 'jsonb?',
    answer: 'jsonb',
  },
  suspended_cards: { user_id: 'integer', card_id: 'integer' },
  inactive_decks: { user_id: 'integer', deck_id: 'integer' },
  offered_decks: { deck_id: 'integer' },
  chosen_decks: { user_id: 'integer', deck_id: 'integer' },
  review_settings: {
    user_id: 'integer',
    new_per_day: 'integer',
    desired_retention: 'double precision',
    maximum_interval: 'integer',
    extra_new: 'integer',
    extra_new_on: 'date?',
    adapt_intervals: 'boolean',
    type_answers: 'boolean',
    free_weekdays: 'ARRAY',
  },
  fitted_parameters: {
    user_id: 'integer',
    current: 'jsonb?',
    previous: 'jsonb?',
    tried_at: 'timestamp with time zone',
    tried_items: 'integer',
    states_since: 'bigint',
  },
  card_notes: { user_id: 'integer', card_id: 'integer', text: 'text', updated_at: 'timestamp with time zone' },
  deck_retentions: { user_id: 'integer', deck_id: 'integer', desired_retention: 'double precision' },
  deck_defaults: { deck_id: 'integer', desired_retention: 'double precision' },
  deck_versions: { deck_id: 'integer', version: 'integer' },
  form_requests: {
    user_id: 'integer',
    kind: 'text',
    client_id: 'text',
    body_hash: 'bytea',
    object_id: 'integer',
    created_at: 'timestamp with time zone',
  },
  job_runs: {
    name: 'text',
    leased_until: 'timestamp with time zone?',
    finished_on: 'date?',
    finished_at: 'timestamp with time zone?',
    summary: 'jsonb?',
  },
  quiz_results: {
    id: 'bigint',
    user_id: 'integer',
    deck_slug: 'text',
    quiz_type: 'text',
    score_percent: 'bigint',
    total_questions: 'bigint',
    correct_answers: 'bigint',
    created_at: 'timestamp with time zone',
  },
  cheatsheets: {
    id: 'integer',
    slug: 'text',
    title: 'text',
    category: 'text',
    content_md: 'text',
    created_at: 'timestamp with time zone',
    updated_at: 'timestamp with time zone',
    archived_at: 'timestamp with time zone?',
  },
  cheatsheet_texts: { cheatsheet_id: 'integer', sort_title: 'text', summary: 'text', title: 'text', content: 'text' },
  search_words: { id: 'integer', word: 'text', stem: 'text' },
  search_pending: { id: 'bigint', kind: 'text', ids: 'ARRAY' },
  search_decks: { item_id: 'integer', title: 'ARRAY', words: 'ARRAY' },
  search_cheatsheets: { item_id: 'integer', title: 'ARRAY', words: 'ARRAY' },
  search_cards: { item_id: 'integer', title: 'ARRAY', words: 'ARRAY' },
  card_positions: { deck_id: 'integer', position: 'integer', card_id: 'integer' },
  distinct_answers: { answer_hash: 'bytea', position: 'integer', card_count: 'integer', option_text: 'text' },
  distinct_answer_totals: { id: 'boolean', total: 'integer' },
  content_sources: {
    id: 'integer',
    kind: 'text',
    name: 'text',
    file_name: 'text?',
    size_bytes: 'bigint',
    created_at: 'timestamp with time zone',
    created_by: 'text?',
    updated_at: 'timestamp with time zone',
    updated_by: 'text?',
    archived_at: 'timestamp with time zone?',
    table_layout: 'jsonb?',
  },
  imported_decks: {
    deck_id: 'integer',
    file: 'text?',
    source_id: 'integer?',
    source_key: 'text?',
    tests_only: 'boolean',
    pool_archived: 'boolean',
    options_off: 'boolean',
    lang: 'text',
  },
  imported_cards: {
    card_id: 'integer',
    deck_id: 'integer',
    key: 'text',
    guid: 'text?',
    ord: 'integer?',
    draft: 'boolean',
    draft_archived: 'boolean',
    edited: 'boolean',
    client_id: 'text?',
  },
  imported_cheatsheets: {
    cheatsheet_id: 'integer',
    source_id: 'integer?',
    source_key: 'text?',
    draft: 'boolean',
    draft_archived: 'boolean',
    edited: 'boolean',
    client_id: 'text?',
  },
  source_editors: { source_id: 'integer', user_id: 'integer', added_at: 'timestamp with time zone' },
  content_changes: {
    id: 'bigint',
    at: 'timestamp with time zone',
    user_id: 'integer?',
    editor_id: 'integer?',
    how: 'text',
    source_id: 'integer?',
    summary: 'jsonb?',
    undoes: 'bigint?',
  },
  content_change_items: {
    id: 'bigint',
    change_id: 'bigint',
    card_id: 'integer?',
    cheatsheet_id: 'integer?',
    before: 'jsonb?',
    after: 'jsonb',
  },
  card_versions: {
    card_id: 'integer',
    version: 'integer',
    question: 'text',
    answer: 'text',
    level: 'text',
    exercise: 'jsonb?',
    superseded_at: 'timestamp with time zone',
    change_id: 'bigint?',
  },
  sheet_versions: {
    cheatsheet_id: 'integer',
    version: 'integer',
    title: 'text',
    category: 'text',
    content_md: 'text',
    superseded_at: 'timestamp with time zone',
    change_id: 'bigint?',
  },
  picture_uses: {
    id: 'bigint',
    sha256: 'bytea',
    card_id: 'integer?',
    cheatsheet_id: 'integer?',
    test_id: 'integer?',
    is_current: 'boolean',
  },
  media: {
    sha256: 'bytea',
    extension: 'text',
    size_bytes: 'integer',
    created_at: 'timestamp with time zone',
    created_by: 'integer?',
    bytes: 'bytea',
  },
  card_reports: {
    id: 'bigint',
    card_id: 'integer',
    user_id: 'integer?',
    text: 'text',
    created_at: 'timestamp with time zone',
    settled_at: 'timestamp with time zone?',
    settled_by: 'text?',
    card_version: 'integer?',
    suggested_question: 'text?',
    suggested_answer: 'text?',
    outcome: 'text?',
    outcome_message: 'text?',
  },
  last_import: {
    id: 'boolean',
    at: 'timestamp with time zone',
    actor: 'text?',
    via: 'text',
    outcome: 'text',
    error: 'text?',
    stats: 'jsonb?',
    errors: 'jsonb',
  },
  tests: {
    id: 'integer',
    slug: 'text',
    source_id: 'integer?',
    source_key: 'text?',
    file: 'text?',
    definition: 'jsonb',
    edited: 'boolean',
    edit_version: 'integer',
    published_version: 'integer?',
    created_at: 'timestamp with time zone',
    updated_at: 'timestamp with time zone',
    archived_at: 'timestamp with time zone?',
  },
  test_versions: {
    test_id: 'integer',
    version: 'integer',
    definition: 'jsonb',
    open_questions: 'boolean',
    digest: 'bytea',
    published_at: 'timestamp with time zone',
    published_by: 'text?',
  },
  test_questions: {
    id: 'bigint',
    test_id: 'integer',
    version: 'integer',
    section: 'integer',
    position: 'integer',
    card_id: 'integer?',
    content: 'jsonb',
  },
  attempts: {
    id: 'integer',
    test_id: 'integer',
    version: 'integer',
    user_id: 'integer',
    client_id: 'text',
    number: 'integer',
    counted: 'boolean',
    started_at: 'timestamp with time zone',
    deadline_at: 'timestamp with time zone?',
    last_saved_at: 'timestamp with time zone',
    ended_at: 'timestamp with time zone?',
    ended_by: 'text?',
    passed: 'boolean?',
    score_percent: 'integer?',
    answers_deleted_at: 'timestamp with time zone?',
  },
  attempt_questions: {
    attempt_id: 'integer',
    slot: 'integer',
    question_id: 'bigint',
    places: 'jsonb',
    seq: 'bigint',
    answer: 'jsonb?',
    saved_at: 'timestamp with time zone?',
    spent_ms: 'integer',
    points: 'double precision?',
  },
  question_sums: {
    question_id: 'bigint',
    sums: 'jsonb',
    report: 'jsonb?',
    checked_persons: 'integer',
  },
  question_reports: {
    question_id: 'bigint',
    persons: 'integer',
    cells: 'jsonb',
    published_at: 'timestamp with time zone',
  },
}

const database = await createEmptyDatabase()
t.teardown(() => database.close())
const { db } = database

t.test('a second migration applies nothing', async (t) => {
  t.ok((await migrateToLatest(db)).length > 0)
  t.strictSame(await migrateToLatest(db), [])
  t.equal(await isMigrated(db), true)
})

t.test('declared types equal the actual columns', async (t) => {
  const { rows } = await sql<{ table_name: string; column_name: string; data_type: string; is_nullable: string }>`
    select table_name, column_name, data_type, is_nullable from information_schema.columns
    where table_schema = 'public' and table_name not like 'kysely%'`.execute(db)
  const real: Record<string, Record<string, string>> = {}
  for (const { table_name, column_name, data_type, is_nullable } of rows) {
    real[table_name] ??= {}
    real[table_name][column_name] = data_type + (is_nullable === 'YES' ? '?' : '')
  }
  t.strictSame(real, COLUMNS)
})

t.test('every constraint and index has an explicit name', async (t) => {
  const { rows } = await sql<{ name: string; tab: string }>`
    select conname as name, conrelid::regclass::text as tab from pg_constraint
    where connamespace = 'public'::regnamespace and contype <> 'n'
    union all
    select indexname, tablename from pg_indexes where schemaname = 'public'`.execute(db)
  for (const { name, tab } of rows.filter(({ tab }) => !tab.startsWith('kysely'))) {
    t.ok(name.startsWith(tab) || name.startsWith('cards_'), `${tab}: ${name}`)
    t.match(name, /_(pkey|key|fkey|check|idx)$/)
  }
})

t.test('refuses a schema newer than the program', async (t) => {
  const row = { name: '9999_from_the_future', timestamp: new Date().toISOString() }
  await sql`insert into kysely_migration (name, timestamp) values (${row.name}, ${row.timestamp})`.execute(db)
  await t.rejects(migrateToLatest(db), { message: /neuer als dieses Programm.*9999_from_the_future/ })
  await sql`delete from kysely_migration where name = ${row.name}`.execute(db)
  t.equal(await isMigrated(db), true)
})

t.test(
  'refuses a database that cannot store or fold German text',
  { skip: !TEST_DATABASE_URL && 'needs a server' },
  async (t) => {
    const serverUrl = TEST_DATABASE_URL as string
    for (const [name, options, message] of [
      ['test_latin1', "encoding 'LATIN1' locale 'C' template template0", /UTF8/],
      ['test_c_locale', "encoding 'UTF8' locale 'C' template template0", /Umlaute/],
    ] as const) {
      const databaseUrl = await createDatabase(serverUrl, name, options)
      const wrong = await openDatabase({ databaseUrl, dataDir: '', poolMax: 1, onIdleError: () => {} })
      await t.rejects(migrateToLatest(wrong.db), { message })
      await wrong.close()
      await onServer(serverUrl, `drop database ${name}`)
    }
  },
)

t.test(
  'several instances that start at once all find the schema complete',
  { skip: !TEST_DATABASE_URL && 'the embedded store has one process' },
  async (t) => {
    const serverUrl = TEST_DATABASE_URL as string
    const databaseUrl = await createDatabase(serverUrl, 'test_race')
    const options = { databaseUrl, dataDir: '', poolMax: 2, onIdleError: () => {} }
    const instances = await Promise.all(Array.from({ length: 5 }, () => openDatabase(options)))
    const applied = await Promise.all(instances.map((instance) => instance.withoutLimit(migrateToLatest)))
    t.equal(applied.filter((names) => names.length > 0).length, 1)
    await Promise.all(instances.map((instance) => instance.close()))
    await onServer(serverUrl, 'drop database test_race')
  },
)
