import type { Kysely } from 'kysely'
import type { Database } from '../../db/types.js'
import { createCard, createCheatsheet, createDeck } from './factories.js'

/** Creates a deck with a card for each of `questions`; a variant names the id of its original. */
export async function createDeckIn(
  db: Kysely<Database>,
  lang: string,
  slug: string,
  questions: readonly string[],
  originalId: number | null = null,
) {
  const deck = await createDeck(db, { slug, name: slug })
  await db.insertInto('imported_decks').values({ deck_id: deck.id, lang, translation_of: originalId }).execute()
  const ids: number[] = []
  for (const [sort_order, question] of questions.entries()) {
    ids.push((await createCard(db, { deck_id: deck.id, question, sort_order })).id)
  }
  return { ...deck, ids }
}

export async function createSheetIn(
  db: Kysely<Database>,
  lang: string,
  slug: string,
  content_md: string,
  originalId: number | null = null,
) {
  const sheet = await createCheatsheet(db, { slug, title: slug, content_md })
  await db
    .insertInto('imported_cheatsheets')
    .values({ cheatsheet_id: sheet.id, lang, translation_of: originalId })
    .execute()
  return sheet
}
