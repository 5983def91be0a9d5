import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { CHANGE_KINDS, readChangeWindow } from '../../db/queries/changes.js'
import { purgeExpired } from '../../db/queries/housekeeping.js'
import type { Database } from '../../db/types.js'
import { createMigratedDatabase } from '../support/database.js'
import { createCheatsheet, createDeck, createUser } from '../support/factories.js'

const database = await createMigratedDatabase()
const { db } = database
t.teardown(() => database.close())

/** For each column of a table, an assignment that changes it, and the kinds that this logs */
type Columns = Record<string, [change: string, ...kinds: string[]]>

const TABLES: Record<string, Columns> = {
  users: {
    id: [''],
    username: [`'anders'`, 'account'],
    display_name: [`'Anders'`, 'account', 'person'],
    password_hash: [`null, passkey_only = false`, 'account'],
    is_admin: ['true', 'account', 'right'],
    is_author: ['true', 'account'],
    is_auditor: ['true', 'account', 'right'],
    auditor_until: [`'2027-01-01'`, 'account', 'right'],
    created_at: [`'2020-01-01'`, 'account'],
    must_change_password: ['true', 'account'],
    last_seen_on: [`'2026-11-01'`],
    disabled_on: [`'2027-01-01'`, 'account'],
    extra_time_percent: ['25', 'account'],
    email: [`'erika@example.org'`, 'account', 'person'],
    email_confirmed_at: [`now(), email = 'erika@example.org'`, 'account', 'person'],
    personnel_number: [`'00417'`, 'account', 'person'],
    external_id: [`'P-1'`, 'account'],
    passkey_only: ['true', 'account'],
    emergency: ['true', 'account'],
    link_next_login: ['true, link_allowed_at = now()', 'account'],
    link_allowed_at: ['now()', 'account'],
    due_cards_mail_key: [`'key'`],
    language: [`'en'`],
    language_used: [`'en'`],
    disabled_announced: ['true'],
    awaits_link: ['true'],
    scim_disabled: ['true'],
    scim_former_day: [`'2027-01-01'`],
    scim_deleted: ['true'],
  },
  teams: {
    id: [''],
    name: [`'Anders'`, 'team'],
    external_group: [`'anders'`, 'team'],
    external_id: [`'T-1'`, 'team'],
    created_at: [`'2020-01-01'`, 'team'],
    edit_version: ['2', 'team'],
    scim_state: [`'bound'`],
  },
  team_members: {
    id: [''],
    team_id: ['(select max(id) from teams)', 'member', 'role'],
    user_id: ['(select max(id) from users)', 'member', 'role'],
    role: [`'lead'`, 'role'],
    origin: [`'claim'`],
    from_on: [`'2020-01-01'`],
    until_on: [`'2026-11-01'`, 'member'],
  },
  occurrences: {
    id: [''],
    assignment_id: [`(select max(id) from assignments), period = '2020-01-01'`, 'occurrence'],
    user_id: ['(select max(id) from users)', 'occurrence'],
    period: [`'2026-02-01'`, 'occurrence'],
    due_on: [`'2027-01-01'`, 'occurrence'],
    extended_until: [`'2027-01-01'`, 'occurrence'],
    state: [`'in_progress'`, 'occurrence'],
    done_at: [`now(), done_on = '2026-11-01', state = 'done'`, 'occurrence'],
    done_on: [`'2026-11-01', done_at = now(), state = 'done'`, 'occurrence'],
    missed_at: [`now(), state = 'missed'`, 'occurrence'],
    reason: [`'Grund'`],
    covered_until: [`'2027-01-01'`],
    content_version: ['2'],
    counts_from: [`'2020-01-01'`],
    extra_attempts: ['1'],
    proof_deleted_on: [`'2026-11-01'`],
    reopened_at: ['now()'],
  },
  occurrence_parts: {
    occurrence_id: ['(select max(id) from occurrences)', 'occurrence'],
    position: ['1', 'occurrence'],
    done_at: [`'2026-10-01'`, 'occurrence'],
    held_on: [`'2026-10-01', confirmed_by = 'Bo'`, 'occurrence'],
    confirmed_by: [`'Bo', held_on = '2026-10-01'`, 'occurrence'],
    note: [`'Notiz'`],
    sheet_version: ['2'],
    lang: [`'en'`],
    content_id: ['7'],
  },
  assignments: {
    id: [''],
    title: [`'Anders'`],
    description: [`'Anders'`],
    starts_on: [`'2026-02-01'`],
    starts_days: ['1, starts_on = null'],
    due_on: [`'2027-01-01'`],
    due_days: ['1, due_on = null'],
    every_months: [`12, opens_days_before = 1`],
    opens_days_before: ['1, every_months = 12'],
    window_end: [`'completion', every_months = 12, opens_days_before = 1`],
    everybody_from: [`'2026-01-01'`],
    mandatory: ['false', 'overseer'],
    ordered: ['true', 'assignment'],
    retention_years: ['3'],
    responsible_id: ['(select max(id) from users)', 'overseer'],
    created_by: ['(select max(id) from users)'],
    created_on: [`'2020-01-01'`],
    created_at: [`'2020-01-01'`],
    version: ['2'],
    edit_version: ['2'],
    renewed_on: [`'2026-11-01', renewed_at = now()`],
    renewed_at: [`now(), renewed_on = '2026-11-01'`],
    corrected_at: ['now()'],
    planned_on: [`'2026-11-01'`],
    archived_at: ['now()', 'overseer'],
  },
  assignment_parts: {
    assignment_id: ['(select max(id) from assignments)', 'assignment'],
    position: ['1', 'assignment'],
    kind: [`'personal'`, 'assignment'],
    title: [`'Anders'`, 'assignment'],
    cheatsheet_id: ['(select max(id) from cheatsheets)', 'assignment'],
    test_id: [''],
    deck_id: ['(select max(id) from decks)', 'assignment'],
    share_percent: ['50'],
  },
  proofs: {
    id: [''],
    code: [''],
    user_id: [''],
    assignment_id: [''],
    occurrence_id: [''],
    snapshot: [''],
    completed_on: [''],
    valid_until: [''],
    issued_at: [''],
    person_key: [''],
    retention_years: ['3'],
    delete_after: [`'2030-01-01'`],
    revoked_at: [`now(), revocation = 'Grund'`, 'proof'],
    revocation: [`'Grund', revoked_at = now()`, 'proof'],
    replaced_by: [`'code'`, 'proof'],
  },
}

t.before(async () => {
  for (const _ of [1, 2]) await createUser(db)
  await createDeck(db)
  await createCheatsheet(db)
  for (const statement of [
    `insert into teams (name) values ('A'), ('B')`,
    `insert into team_members (team_id, user_id, role, origin, from_on) values (1, 1, 'member', 'hand', '2026-01-01')`,
    `insert into assignments (title, description, starts_on, due_on, mandatory, retention_years, created_on)
      select 'Aufgabe', '', '2026-01-01', '2026-12-31', true, 2, '2026-01-01' from generate_series(1, 2)`,
    `insert into assignment_parts (assignment_id, position, kind, title, cheatsheet_id) values (1, 0, 'sheet', '', null)`,
    `insert into occurrences (user_id, assignment_id, period, due_on, content_version, counts_from)
      select 1, id, '2026-01-01', '2026-12-31', 1, now() from assignments`,
    `insert into occurrence_parts (occurrence_id, position, done_at) values (1, 0, '2026-11-01')`,
    `insert into proofs (code, user_id, assignment_id, occurrence_id, snapshot, completed_on, issued_at, retention_years)
      values (repeat('A', 26), 1, 1, 1, '{"name":"Ada"}', '2026-01-01', now(), 2)`,
  ]) {
    await sql.raw(statement).execute(db)
  }
})

/** Returns the kinds that `work` logs. Undoes the work, and what prepares it. */
async function kindsOf(
  work: (db: Kysely<Database>) => Promise<unknown>,
  prepare: readonly string[] = [],
): Promise<string[]> {
  const transaction = await db.startTransaction().execute()
  try {
    for (const statement of prepare) await sql.raw(statement).execute(transaction)
    await transaction.deleteFrom('changes').execute()
    await work(transaction)
    const rows = await transaction.selectFrom('changes').select('kind').distinct().orderBy('kind').execute()
    return rows.map(({ kind }) => kind)
  } finally {
    await transaction.rollback().execute()
  }
}
const kindsOfStatement = (statement: string, ...prepare: string[]) =>
  kindsOf((on) => sql.raw(statement).execute(on), prepare)

for (const [table, columns] of Object.entries(TABLES)) {
  t.test(`each column of ${table} is answered by a list, and logged, or neither`, async (t) => {
    const { rows } = await sql<{ name: string }>`
      select column_name as name from information_schema.columns
      where table_schema = current_schema() and table_name = ${table}`.execute(db)
    t.strictSame(
      rows.map(({ name }) => name).sort(),
      Object.keys(columns).sort(),
      'a new column: decide in docs/decisions/0063-changed-since.md whether a list answers it',
    )
    const first =
      table === 'occurrence_parts' ? 'occurrence_id = 1' : table === 'assignment_parts' ? 'position = 0' : 'id = 1'
    for (const [column, [value, ...kinds]] of Object.entries(columns)) {
      if (value === '') continue
      t.strictSame(await kindsOfStatement(`update ${table} set ${column} = ${value} where ${first}`), kinds, column)
    }
    t.strictSame(
      await kindsOfStatement(`update ${table} set ${Object.keys(columns)[1]} = ${Object.keys(columns)[1]}`),
      [],
    )
  })
}

t.test('rows that come and go are logged', async (t) => {
  t.strictSame(await kindsOf(createUser), ['account'])
  const passkey = `insert into passkeys (user_id, name, credential_id, public_key, user_handle, transports)
    values (1, '', 'a', 'b', 'c', '{}')`
  t.strictSame(await kindsOfStatement(passkey), ['account'])
  t.strictSame(await kindsOfStatement('delete from passkeys', passkey), ['account'])
  const identity = `insert into identities (user_id, issuer, subject) values (1, 'a', 'b')`
  t.strictSame(await kindsOfStatement(identity), ['account'])
  t.strictSame(await kindsOfStatement('delete from identities', identity), ['account'])
  t.strictSame(await kindsOfStatement('delete from users where id = 1'), ['account', 'member', 'occurrence'])
  t.strictSame(await kindsOfStatement('delete from teams where id = 1'), ['member', 'team'])
  t.strictSame(await kindsOfStatement('delete from occurrence_parts'), ['occurrence'])
  t.strictSame(await kindsOfStatement('delete from occurrences'), ['occurrence'])
  t.strictSame(await kindsOfStatement('delete from assignment_parts'), ['assignment'])
  t.strictSame(await kindsOfStatement('delete from proofs'), ['proof'])
})

t.test('a new title of the content of a part is logged', async (t) => {
  const sheet = 'update assignment_parts set cheatsheet_id = (select max(id) from cheatsheets) where position = 0'
  t.strictSame(await kindsOfStatement(`update cheatsheets set title = 'Neu'`, sheet), ['assignment'])
  t.strictSame(await kindsOfStatement(`update cheatsheets set content_md = 'Neu'`, sheet), [])
  t.strictSame(await kindsOfStatement('delete from cheatsheets', sheet), ['assignment'])
  const deck = 'update assignment_parts set deck_id = (select max(id) from decks) where position = 0'
  t.strictSame(await kindsOfStatement(`update decks set name = 'Neu'`, deck), ['assignment'])
  t.strictSame(await kindsOfStatement(`update decks set name = 'Neu'`), [], 'of no part')
})

const countLocks = (on: Kysely<Database>) =>
  sql<{ count: number }>`
    select count(*) as count from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`
    .execute(on)
    .then(({ rows }) => rows[0]?.count)

t.test('only a transaction that logs a change takes the lock, and only one', async (t) => {
  await db.transaction().execute(async (transaction) => {
    await sql`update users set last_seen_on = '2026-11-02'`.execute(transaction)
    t.equal(await countLocks(transaction), 0)
    for (const name of ['Ada', 'Bo']) await sql`update users set display_name = ${name}`.execute(transaction)
    t.equal(await countLocks(transaction), 1)
  })
})

t.test('the horizon is the start of the transaction that is not over', async (t) => {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ start: Date }>`select date_trunc('milliseconds', now()) as start`.execute(transaction)
    await sql`update users set display_name = 'Cem' where id = 1`.execute(transaction)
    const { horizon } = await readChangeWindow(transaction, { since: new Date(), userId: 1 })
    t.strictSame(horizon, rows[0]?.start)
  })
  const { horizon, now } = await readChangeWindow(db, { since: new Date(), userId: 1 })
  t.equal(Math.floor(now.getTime()), horizon.getTime(), 'now, if no transaction has logged a change')
})

// An upgrade does: see data-migrations.
t.test('a new installation makes no instant unknown', async (t) => {
  const fresh = await createMigratedDatabase()
  t.teardown(() => fresh.close())
  t.strictSame(await fresh.db.selectFrom('changes').select('kind').execute(), [])
})

t.test('changes are kept for 90 days', async (t) => {
  await db.deleteFrom('changes').execute()
  for (const [index, kind] of CHANGE_KINDS.entries()) {
    await sql`
      insert into changes (kind, changed_at, object_id)
      select ${kind}, now() - make_interval(days => days), ${index} from unnest(array[90, 92]) as days`.execute(db)
  }
  t.match(await purgeExpired(db), { changes: CHANGE_KINDS.length })
  const rest = await sql`select from changes where changed_at > now() - interval '91 days'`.execute(db)
  t.equal(rest.rows.length, CHANGE_KINDS.length)
})
