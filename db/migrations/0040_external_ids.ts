import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['users', 'teams']) {
    await sql`
      alter table ${sql.table(table)}
        add column external_id text,
        add constraint ${sql.id(`${table}_external_id_check`)} check (char_length(external_id) between 1 and 128)`.execute(
      db,
    )
    await sql`create unique index ${sql.id(`${table}_external_id_key`)} on ${sql.table(table)} (external_id)`.execute(
      db,
    )
  }
  await sql`comment on column users.external_id is 'Id of the person in the system that manages the accounts'`.execute(
    db,
  )
  await sql`comment on column teams.external_id is 'Id of the team in the system that manages the teams'`.execute(db)
  await sql`
    comment on column teams.edit_version is '1 plus the number of changes of the name, the group or the external id'`.execute(
    db,
  )
}
