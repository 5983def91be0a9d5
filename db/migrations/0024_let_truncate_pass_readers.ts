import { type Kysely, sql } from 'kysely'

/**
 * A TRUNCATE of the cards holds them when it comes to their positions, for which a quiz that is just being drawn waits
 * the other way round. Rows can be deleted beside a reader, a truncation would wait for it: one of the two was given up.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function place_truncated_cards() returns trigger language plpgsql set search_path from current as $$
    begin
      delete from card_positions;
      delete from distinct_answers;
      update distinct_answer_totals set total = 0;
      return null;
    end $$`.execute(db)
}
