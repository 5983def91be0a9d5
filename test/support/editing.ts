import { type Insertable, type Kysely, sql } from 'kysely'
import type { Database } from '../../db/types.js'
import { unique } from './factories.js'
import type { Caller, Service } from './service.js'

/** Creates a source; by default one that is written in the browser. */
export async function createSource(
  db: Kysely<Database>,
  overrides: Partial<Insertable<Database['content_sources']>> = {},
): Promise<number> {
  const { id } = await db
    .insertInto('content_sources')
    .values({
      kind: 'written',
      name: unique('Quelle'),
      file_name: null,
      size_bytes: 0,
      created_by: null,
      updated_by: null,
      ...overrides,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Creates an author who may edit these sources, and logs in. */
export async function createEditor(
  { db, member }: Service,
  ...sources: number[]
): Promise<Caller & { id: number; username: string }> {
  const caller = await member()
  const { username } = await db
    .updateTable('users')
    .set({ is_author: true })
    .where('id', '=', caller.id)
    .returning('username')
    .executeTakeFirstOrThrow()
  for (const source_id of sources) {
    await db.insertInto('source_editors').values({ source_id, user_id: caller.id }).execute()
  }
  return { ...caller, username }
}

export async function writeDeck(editor: Caller, source_id: number, rest: object = {}): Promise<string> {
  const { body } = await editor.post('/api/content/decks', { source_id, name: unique('Deck'), ...rest })
  return body.deck.slug
}

export async function writeCard(editor: Caller, deck: string, rest: object = {}) {
  const card = { question: unique('Frage'), answer: unique('Antwort'), level: 'basis', ...rest }
  const { body } = await editor.post('/api/content/cards', { deck, client_id: unique('client'), ...card })
  return body.card
}

/** Inserts copies of a card at the end of its deck, one with each question, without versions. Returns their ids. */
export async function copyCard(db: Kysely<Database>, id: number, questions: string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with copies as (
      insert into cards (deck_id, question, answer, level, exercise, sort_order)
      select deck_id, copy, answer, level, exercise, sort_order + number
      from cards cross join unnest(${questions}::text[]) with ordinality as copies (copy, number)
      where id = ${id} order by number
      returning id, deck_id
    )
    insert into imported_cards (card_id, deck_id, key) select id, deck_id, 'k-' || id from copies
    returning card_id as id`.execute(db)
  return rows.map((row) => row.id).sort((one, other) => one - other)
}
