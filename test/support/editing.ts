import type { Insertable, Kysely } from 'kysely'
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
