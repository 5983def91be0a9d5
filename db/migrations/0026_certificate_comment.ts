import { type Kysely, sql } from 'kysely'

/** Names the present file in the comment of 0025. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`comment on column proofs.snapshot is 'Canonical JSON (src/domain/certificates/snapshot.ts)'`.execute(db)
}
