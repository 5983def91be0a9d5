import { type Kysely, sql } from 'kysely'

/**
 * For each event, a query that returns kind, scope and object of the rows to log. It reads `new_rows` and `old_rows`.
 * Compare them by `except`: a join would keep the plan of its first use, which is quadratic for many rows.
 */
export type ChangeQueries = Partial<Record<'insert' | 'update' | 'delete', string>>

const TABLES = {
  insert: 'new table as new_rows',
  update: 'old table as old_rows new table as new_rows',
  delete: 'old table as old_rows',
}

/**
 * Creates the statement-level triggers that log changes of a table. A migration that adds an answered column calls
 * `replaceChangeFunctions` with the new queries.
 */
export async function createChangeTriggers(db: Kysely<unknown>, table: string, queries: ChangeQueries): Promise<void> {
  await replaceChangeFunctions(db, table, queries)
  for (const event of Object.keys(queries) as (keyof ChangeQueries)[]) {
    await sql`
      create trigger ${sql.raw(`${table}_log_${event}`)} after ${sql.raw(event)} on ${sql.table(table)}
        referencing ${sql.raw(TABLES[event])}
        for each statement execute function ${sql.raw(`log_${event}_of_${table}`)}()`.execute(db)
  }
}

/** Creates the functions of these triggers, or replaces them. */
export async function replaceChangeFunctions(
  db: Kysely<unknown>,
  table: string,
  queries: ChangeQueries,
): Promise<void> {
  for (const [event, query] of Object.entries(queries)) {
    // The subquery runs once, and only if there is a row, so a statement that changes nothing takes no lock.
    await sql`
      create or replace function ${sql.raw(`log_${event}_of_${table}`)}() returns trigger language plpgsql set search_path from current as $$
      begin
        insert into changes (kind, changed_at, scope_id, object_id)
          select kind, (select change_instant()), scope_id, object_id
          from (${sql.raw(query)}) as logged (kind, scope_id, object_id);
        return null;
      end $$`.execute(db)
  }
}
