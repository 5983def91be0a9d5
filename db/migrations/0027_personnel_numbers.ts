import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users
      add column personnel_number text,
      add constraint users_personnel_number_check check (char_length(personnel_number) between 1 and 40)`.execute(db)
  await sql`create unique index users_personnel_number_key on users (personnel_number)`.execute(db)
  await sql`
    comment on column users.personnel_number is 'Number of the person in the company, for certificates and lists'`.execute(
    db,
  )
}
