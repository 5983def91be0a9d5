import t from 'tap'
import { createCards, createDeck } from '../../support/factories.js'
import { type Caller, startService } from '../../support/service.js'

/** Number of ratings of each learner, and of changes of the cards */
const ROUNDS = 600
t.setTimeout(3_600_000)

const service = await startService(t)
const { db } = service

t.test('archiving cards and deleting users during reviews causes no error', async (t) => {
  const members = [await service.member(), await service.member()]
  const deck = await createDeck(db)
  const ids = (await createCards(db, deck.id, 4)).map(({ id }) => id)
  const rate = (caller: Caller, round: number) =>
    caller.post('/api/review', { card_id: ids[round % ids.length], rating: 'again' })

  const learn = async (member: Caller) => {
    for (let round = 0; round < ROUNDS; round++) {
      const response = await rate(member, round)
      t.ok([200, 404].includes(response.status), response.text)
      if (response.status !== 200 || round % 3 > 0) continue
      const undo = await member.delete(`/api/review/${response.body.review_id}`)
      t.ok([200, 409].includes(undo.status), undo.text)
    }
  }
  const curate = async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const archived_at = round % 2 === 0 ? new Date() : null
      await db.updateTable('cards').set({ archived_at }).where('id', 'in', ids).execute()
    }
  }
  const leave = async () => {
    for (let round = 0; round < ROUNDS / 10; round++) {
      const leaving = await service.member()
      const requests = [
        ...[0, 1, 2].map((card) => rate(leaving, card)),
        leaving.post(`/api/review/cards/${ids[0]}/suspend`),
        leaving.send({ method: 'PUT', url: '/api/review/settings', payload: { new_per_day: 1 } }),
      ]
      await Promise.race(requests.slice(round % 3))
      await db.deleteFrom('users').where('id', '=', leaving.id).execute()
      for (const { status, text } of await Promise.all(requests)) t.ok([200, 401, 404].includes(status), text)
    }
  }
  await Promise.all([...members.map(learn), curate(), leave()])
})
