import { type Kysely, sql } from 'kysely'

/**
 * Makes a deletion wait for a transaction that indexes content. The index refers to cards, decks and sheets, so either
 * would otherwise lock rows that the other one needs next: a deletion ended with a deadlock.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The key is the one of `tryLock(transaction, 'search index')` in `db/queries/try-lock.ts`.
  await sql`
    create function wait_for_search_index() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(hashtext('svc-training search index'));
      return null;
    end $$`.execute(db)
  for (const table of ['cards', 'decks', 'cheatsheets']) {
    await sql`
      create trigger ${sql.ref(`${table}_search_delete`)} before delete on ${sql.table(table)}
        for each statement execute function wait_for_search_index()`.execute(db)
  }
}
