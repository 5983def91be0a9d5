import t from 'tap'
import { createMemoryStore } from '../../../web/src/outbox/memory.js'
import { Outbox } from '../../../web/src/outbox/outbox.js'
import { settleRatings, takeNext } from '../../../web/src/outbox/settle.js'
import type { Entry, RatingEntry } from '../../../web/src/storage/entry.js'

const USER = 1
const RATING = { rating: 'easy', duration_ms: undefined, reviewed_at: '2026-11-27T08:00:00.000Z' } as const

/** Adds a rating, marks it as being sent, and undoes it. Then adds another rating. */
async function createUndone() {
  const store = createMemoryStore()
  const outbox = new Outbox(store, createMemoryStore())
  await outbox.add(USER, { id: 'first', card_id: 7, ...RATING })
  const [entry] = (await takeNext(store, USER, 1)) as [Entry & RatingEntry]
  await outbox.undo(USER, 'first')
  await outbox.add(USER, { id: 'second', card_id: 8, ...RATING })
  const settle = (status: number, code: string | undefined, body: object) =>
    settleRatings(store, [{ entry, response: { kind: 'received', status, isOwn: true, code, body } }], 0)
  return { outbox, settle }
}

t.test('a rating and its undo do not count as waiting while both are unsent', async (t) => {
  const { outbox } = await createUndone()
  t.match(await outbox.load(USER), { waiting: 1, refused: { length: 0 } })
})

t.test('an undo counts as waiting after its rating was confirmed or refused', async (t) => {
  for (const [status, code, body, refused] of [
    [200, undefined, { review_id: 1, card_id: 7, applied: true }, 0],
    [400, 'invalid', { message: 'Ungültig' }, 1],
  ] as const) {
    const { outbox, settle } = await createUndone()
    await settle(status, code, body)
    const load = await outbox.load(USER)
    t.strictSame([load.waiting, load.refused.length], [2, refused], `${status}`)
  }
})

t.test('counts the ratings that are lost when the page closes', async (t) => {
  const durable = createMemoryStore()
  let isFull = true
  const change: typeof durable.change = (work) => (isFull ? Promise.reject(new Error('full')) : durable.change(work))
  const outbox = new Outbox({ ...durable, change }, createMemoryStore())
  t.equal(await outbox.add(USER, { id: 'first', card_id: 7, ...RATING }), 'memory')
  isFull = false
  t.equal(await outbox.add(USER, { id: 'second', card_id: 8, ...RATING }), 'memory', 'in the order of the ratings')
  t.match(await outbox.load(USER), { waiting: 2, volatile: 2 })
  await outbox.discard(USER, 'first')
  await outbox.discard(USER, 'second')
  t.equal(await outbox.add(USER, { id: 'third', card_id: 9, ...RATING }), 'durable')
  t.match(await outbox.load(USER), { waiting: 1, volatile: 0 })
})
