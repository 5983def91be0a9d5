import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users
      add column awaits_link boolean not null default false,
      add column scim_disabled boolean not null default false,
      add column scim_former_day date,
      add column scim_deleted boolean not null default false`.execute(db)
  // SCIM compares user names without case.
  await sql`create index users_folded_username_idx on users (fold_text(username))`.execute(db)
  await sql`
    alter table teams
      add column scim_state text,
      add constraint teams_scim_state_check check (scim_state in ('bound', 'deleted')),
      add constraint teams_source_check check (scim_state is null or external_group is null)`.execute(db)
  await sql`
    alter table team_members
      drop constraint team_members_origin_check,
      add constraint team_members_origin_check check (origin in ('hand', 'claim', 'scim'))`.execute(db)
  await sql`
    alter table api_tokens
      drop constraint api_tokens_scopes_check,
      add constraint api_tokens_scopes_check
        check ((scopes <@ '{read,learn,content,admin}' and cardinality(scopes) > 0) or scopes = '{scim}')`.execute(db)
  await sql`
    alter table audit_log
      drop constraint audit_log_via_check,
      add constraint audit_log_via_check check (via in ('session', 'token', 'cli', 'oidc', 'scim'))`.execute(db)
  const comments = {
    'users.awaits_link': 'Created by SCIM: the first login through the provider with this user name links the account',
    'users.scim_disabled': 'Whether SCIM has set disabled_on; only then may SCIM lift it',
    'users.scim_former_day': 'The planned disabled_on that SCIM has replaced and restores when it lifts its own',
    'users.scim_deleted': 'Deleted by SCIM: disabled, and invisible to SCIM until it creates the account again',
    'teams.scim_state': 'bound: SCIM manages the team; deleted: SCIM has deleted it and does not list it',
  }
  for (const [column, comment] of Object.entries(comments)) {
    await sql`comment on column ${sql.ref(column)} is ${sql.lit(comment)}`.execute(db)
  }
}
