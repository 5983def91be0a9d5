import { type Kysely, sql } from 'kysely'

/**
 * For each event, a query that returns kind, scope and object of the rows to log. It reads `new_rows` and `old_rows`.
 * Compare them by `except`: a join would keep the plan of its first use, which is quadratic for many rows.
 */
export type NotedChanges = Partial<Record<'insert' | 'update' | 'delete', string>>

const TABLES = {
  insert: 'new table as new_rows',
  update: 'old table as old_rows new table as new_rows',
  delete: 'old table as old_rows',
}

/**
 * Creates the statement-level triggers that log changes of a table. A migration that adds an answered column calls
 * `defineNotes` with the new queries.
 */
export async function noteChanges(db: Kysely<unknown>, table: string, queries: NotedChanges): Promise<void> {
  await defineNotes(db, table, queries)
  for (const event of Object.keys(queries) as (keyof NotedChanges)[]) {
    await sql`
      create trigger ${sql.raw(`${table}_note_${event}`)} after ${sql.raw(event)} on ${sql.table(table)}
        referencing ${sql.raw(TABLES[event])}
        for each statement execute function ${sql.raw(`note_${event}_of_${table}`)}()`.execute(db)
  }
}

/** Defines the functions of these triggers again. */
export async function defineNotes(db: Kysely<unknown>, table: string, queries: NotedChanges): Promise<void> {
  for (const [event, query] of Object.entries(queries)) {
    // The subquery runs once, and only if there is a row, so a statement that changes nothing takes no lock.
    await sql`
      create or replace function ${sql.raw(`note_${event}_of_${table}`)}() returns trigger language plpgsql set search_path from current as $$
      begin
        insert into changes (kind, changed_at, scope_id, object_id)
          select kind, (select change_instant()), scope_id, object_id
          from (${sql.raw(query)}) as noted (kind, scope_id, object_id);
        return null;
      end $$`.execute(db)
  }
}
