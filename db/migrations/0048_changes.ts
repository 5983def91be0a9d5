import { type Kysely, sql } from 'kysely'
import { createChangeTriggers } from './change-triggers.js'

/**
 * Creates the log of changes for `changed_since`, and the triggers that write it. A trigger compares only the fields
 * that the lists answer; `docs/decisions/0063-changed-since.md` has the table of these.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createLog(db)
  await watchAccounts(db)
  await watchTeams(db)
  await watchOccurrences(db)
  await watchAssignments(db)
  await createChangeTriggers(db, 'proofs', {
    insert: `select 'proof', assignment_id, id from new_rows`,
    update: `select 'proof', assignment_id, id from (
      select id, assignment_id, revoked_at, replaced_by from new_rows
      except select id, assignment_id, revoked_at, replaced_by from old_rows) as changed`,
    delete: `select 'proof', assignment_id, id from old_rows`,
  })
  // What changed or was deleted before the upgrade is unknown. A new installation has nothing to forget.
  await sql`insert into changes (kind, object_id) select 'reset', 0 where exists (select from users)`.execute(db)
}

async function createLog(db: Kysely<unknown>): Promise<void> {
  // The lock tells readers that this transaction may still commit rows with an instant from its start on; see
  // `db/queries/changes.ts`. It is shared, and no transaction takes it exclusively, so none ever waits for it.
  await sql`
    create function change_instant() returns timestamptz language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock_shared(23620::bigint << 48 | floor(extract(epoch from now()) * 1000)::bigint);
      return clock_timestamp();
    end $$`.execute(db)
  // A log without a unique key instead of one row per object: writers never wait for each other and cannot deadlock.
  await sql`
    create table changes (
      kind text not null,
      changed_at timestamptz not null default change_instant(),
      scope_id integer not null default 0,
      object_id integer not null,
      constraint changes_kind_check check (kind in
        ('account', 'person', 'right', 'team', 'member', 'role', 'occurrence', 'assignment', 'overseer', 'proof', 'reset'))
    )`.execute(db)
  await sql`create index changes_since_idx on changes (kind, changed_at, scope_id, object_id)`.execute(db)
  // Without a primary key, logical replication needs this to delete rows.
  await sql`alter table changes replica identity full`.execute(db)
  await sql`
    comment on column changes.kind is
      '"person": name, number or address of an account; "right": administrator or auditor; "member", "role": a membership, with the team as scope; "assignment": its parts; "overseer": who sees an assignment; "reset": changes before it are unknown'`.execute(
    db,
  )
  await sql`
    comment on column changes.scope_id is 'Assignment of an occurrence or proof, team of a membership; otherwise 0'`.execute(
    db,
  )
}

async function watchAccounts(db: Kysely<unknown>): Promise<void> {
  const answered = `id, username, display_name, is_admin, is_author, is_auditor, auditor_until, created_at,
    must_change_password, disabled_on, extra_time_percent, email, email_confirmed_at, personnel_number, external_id,
    passkey_only, emergency, link_next_login, link_allowed_at, password_hash is null`
  const personal = 'id, display_name, personnel_number, email is null'
  const right = 'id, is_admin, is_auditor, auditor_until'
  await createChangeTriggers(db, 'users', {
    insert: `select 'account', 0, id from new_rows`,
    update: `
      select 'account', 0, id from (select ${answered} from new_rows except select ${answered} from old_rows) as changed
      union all
      select 'person', 0, id from (select ${personal} from new_rows except select ${personal} from old_rows) as changed
      union all
      select 'right', 0, id from (select ${right} from new_rows except select ${right} from old_rows) as changed`,
    delete: `select 'account', 0, id from old_rows`,
  })
  for (const table of ['passkeys', 'identities']) {
    await createChangeTriggers(db, table, {
      insert: `select distinct 'account', 0, user_id from new_rows`,
      delete: `select distinct 'account', 0, user_id from old_rows`,
    })
  }
}

async function watchTeams(db: Kysely<unknown>): Promise<void> {
  const answered = 'id, name, external_group, external_id, created_at, edit_version'
  await createChangeTriggers(db, 'teams', {
    insert: `select 'team', 0, id from new_rows`,
    update: `select 'team', 0, id from (select ${answered} from new_rows except select ${answered} from old_rows) as changed`,
    delete: `select 'team', 0, id from old_rows`,
  })
  const membership = 'id, team_id, user_id, until_on'
  const role = 'id, team_id, user_id, role'
  await createChangeTriggers(db, 'team_members', {
    insert: `select distinct 'member', team_id, user_id from new_rows`,
    update: `
      select distinct 'member', team_id, user_id from (
        select ${membership} from new_rows except select ${membership} from old_rows) as changed
      union all
      select distinct 'role', team_id, user_id from (select ${role} from new_rows except select ${role} from old_rows) as changed`,
    delete: `select distinct 'member', team_id, user_id from old_rows`,
  })
}

async function watchOccurrences(db: Kysely<unknown>): Promise<void> {
  const answered = 'id, assignment_id, user_id, period, due_on, extended_until, state, done_at, done_on'
  await createChangeTriggers(db, 'occurrences', {
    insert: `select 'occurrence', assignment_id, id from new_rows`,
    update: `select 'occurrence', assignment_id, id from (
      select ${answered} from new_rows except select ${answered} from old_rows) as changed`,
    delete: `select 'occurrence', assignment_id, id from old_rows`,
  })
  // A subquery for each row, because a join would keep the plan of its first use, which may read the whole table.
  const occurrencesOf = (rows: string) => `
    select distinct 'occurrence', assignment_id, occurrence_id from (
      select occurrence_id, (select assignment_id from occurrences where id = occurrence_id) as assignment_id
      from ${rows}) as parts
    where assignment_id is not null`
  const part = 'occurrence_id, position, done_at, held_on'
  await createChangeTriggers(db, 'occurrence_parts', {
    insert: occurrencesOf('new_rows'),
    update: occurrencesOf(`(select ${part} from new_rows except select ${part} from old_rows) as changed`),
    delete: occurrencesOf('old_rows'),
  })
}

async function watchAssignments(db: Kysely<unknown>): Promise<void> {
  const overseen = 'id, responsible_id, mandatory, archived_at'
  await createChangeTriggers(db, 'assignments', {
    update: `
      select 'assignment', 0, id from (select id, ordered from new_rows except select id, ordered from old_rows) as changed
      union all
      select 'overseer', 0, id from (select ${overseen} from new_rows except select ${overseen} from old_rows) as changed`,
  })
  const part = 'assignment_id, position, kind, title, cheatsheet_id, test_id, deck_id'
  await createChangeTriggers(db, 'assignment_parts', {
    insert: `select distinct 'assignment', 0, assignment_id from new_rows`,
    update: `select distinct 'assignment', 0, assignment_id from (
      select ${part} from new_rows except select ${part} from old_rows) as changed`,
    delete: `select distinct 'assignment', 0, assignment_id from old_rows`,
  })
  // Parts are shown with the current title of their content. These triggers run for a row whose title changes only.
  for (const [table, column, title] of [
    ['cheatsheets', 'title', 'title'],
    ['tests', 'definition', `definition ->> 'name'`],
    ['decks', 'name', 'name'],
  ] as const) {
    const key = { cheatsheets: 'cheatsheet_id', tests: 'test_id', decks: 'deck_id' }[table]
    await sql`
      create function ${sql.raw(`log_title_of_${table}`)}() returns trigger language plpgsql set search_path from current as $$
      begin
        insert into changes (kind, object_id)
          select distinct 'assignment', assignment_id from assignment_parts where ${sql.ref(key)} = new.id;
        return null;
      end $$`.execute(db)
    await sql`
      create trigger ${sql.raw(`${table}_log_title`)} after update of ${sql.ref(column)} on ${sql.table(table)}
        for each row when (old.${sql.raw(title)} is distinct from new.${sql.raw(title)})
        execute function ${sql.raw(`log_title_of_${table}`)}()`.execute(db)
  }
}
