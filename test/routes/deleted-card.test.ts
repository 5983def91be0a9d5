import t from 'tap'
import { waitUntilBlocked } from '../support/database.js'
import { createCard, createDeck } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'

const { database, db, member } = await startService(t)

t.test('answers not found for a concurrent deletion', async (t) => {
  const learner = await member()
  for (const [name, method, ask, payload] of [
    ['Karte', 'POST', (id: number) => `/api/review/cards/${id}/reports`, { text: 'Falsch' }],
    ['Karte', 'POST', (id: number) => `/api/review/cards/${id}/suspend`, undefined],
    ['Deck', 'PUT', (_: number, slug: string) => `/api/review/decks/${slug}`, { active: false }],
  ] as const) {
    const deck = await createDeck(db)
    const card = await createCard(db, { deck_id: deck.id })
    const url = ask(card.id, deck.slug)
    const send = () => learner.send({ method, url, ...(payload && { payload }) })
    const response = await db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('decks').where('id', '=', deck.id).execute()
      const asked = send()
      await waitUntilBlocked(database)
      return { asked }
    })
    const { status, body } = await response.asked
    t.strictSame([status, body], [404, errorBody(404, `${name} nicht gefunden`)], url)
  }
})
