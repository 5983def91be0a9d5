import t from 'tap'
import { updateCards } from '../../../db/queries/content/write.js'
import { CARD_PARTS, type CardPart, type CardTexts, eachText } from '../../../src/domain/content/card-texts.js'
import type { Exercise } from '../../../src/domain/questions/exercise.js'
import { createMigratedDatabase } from '../../support/database.js'
import { createCard, createDeck } from '../../support/factories.js'

const database = await createMigratedDatabase()
t.teardown(() => database.close())
const { db } = database

t.test('updates a card except for the parts that it keeps', async (t) => {
  const deck = await createDeck(db)
  const exercise: Exercise = { form: 'text', options: [], tolerance: null, unit: null }
  const after: CardTexts = { ...eachText((name) => `neu: ${name}`), exercise }
  const keepSets: readonly (readonly CardPart[])[] = [[], ...CARD_PARTS.map((part) => [part]), CARD_PARTS]
  for (const keeps of keepSets) {
    const before = await createCard(db, { deck_id: deck.id })
    await db
      .insertInto('imported_cards')
      .values({ card_id: before.id, deck_id: deck.id, key: `k-${before.id}`, edited: true })
      .execute()
    const staysEdited = keeps === CARD_PARTS
    const change = { ...after, id: before.id, deck_id: deck.id, sort_order: 7, isDraft: false, keeps, staysEdited }
    await db.transaction().execute((transaction) => updateCards(transaction, [change]))
    const { edited, ...card } = await db
      .selectFrom('cards')
      .innerJoin('imported_cards', 'card_id', 'cards.id')
      .select([...CARD_PARTS, 'sort_order', 'edited'])
      .where('cards.id', '=', before.id)
      .executeTakeFirstOrThrow()
    const kept = Object.fromEntries(keeps.map((part) => [part, before[part]]))
    t.strictSame(card, { ...after, ...kept, sort_order: 7 }, keeps.join(', '))
    t.equal(edited, staysEdited)
  }
})
