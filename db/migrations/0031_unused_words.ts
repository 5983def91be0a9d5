import { type Kysely, sql } from 'kysely'

/** Corrects the comment of 0025: a job deletes the words that no text contains any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    comment on table search_words is
      'Distinct words of all indexed texts, in NFC and lower case. A job deletes the words that no text contains any more.'
  `.execute(db)
}
