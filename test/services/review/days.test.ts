import t from 'tap'
import { addDays } from '../../../src/domain/time/calendar.js'
import { createMigratedDatabase } from '../../support/database.js'
import { createCard, createDeck } from '../../support/factories.js'
import { errorBody, startService } from '../../support/service.js'

/** Time zones with a day, its last millisecond and the first millisecond of the next day */
const MIDNIGHTS = [
  ['Pacific/Kiritimati', '2026-11-21', '2026-11-21T09:59:59.999Z', '2026-11-21T10:00:00Z'],
  ['America/Los_Angeles', '2026-11-21', '2026-11-22T07:59:59.999Z', '2026-11-22T08:00:00Z'],
  // On 1 November the clocks are set back, so the day has 25 hours.
  ['America/Los_Angeles', '2026-11-01', '2026-11-02T07:59:59.999Z', '2026-11-02T08:00:00Z'],
  // On 29 March the clocks are set forward, so the day has 23 hours.
  ['Europe/Berlin', '2026-03-28', '2026-03-28T22:59:59.999Z', '2026-03-28T23:00:00Z'],
  ['Europe/Berlin', '2026-03-29', '2026-03-29T21:59:59.999Z', '2026-03-29T22:00:00Z'],
  ['Europe/Berlin', '2026-03-30', '2026-03-30T21:59:59.999Z', '2026-03-30T22:00:00Z'],
  // On 25 October the clocks are set back, so the day has 25 hours.
  ['Europe/Berlin', '2026-10-24', '2026-10-24T21:59:59.999Z', '2026-10-24T22:00:00Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-25T22:59:59.999Z', '2026-10-25T23:00:00Z'],
  ['Europe/Berlin', '2026-10-26', '2026-10-26T22:59:59.999Z', '2026-10-26T23:00:00Z'],
] as const

const database = await createMigratedDatabase()
t.teardown(() => database.close())
/** Database for the services of all time zones; a closing service does not close it */
const shared = { ...database, close: async () => {} }

for (const zone of new Set(MIDNIGHTS.map(([timeZone]) => timeZone))) {
  t.test(`the day ends at midnight in ${zone}`, async (t) => {
    const clock = { now: new Date() }
    const service = await startService(t, {
      now: () => clock.now,
      config: { timeZone: zone },
      database: shared,
    })
    t.teardown(() => service.db.deleteFrom('decks').execute())
    const deck = await createDeck(service.db)
    const { id: card_id } = await createCard(service.db, { deck_id: deck.id })
    for (const [, day, lastSecond, firstSecond] of MIDNIGHTS.filter(([timeZone]) => timeZone === zone)) {
      const member = await service.member()
      clock.now = new Date(lastSecond)
      const first = (await member.post('/api/review', { card_id, rating: 'again' })).body
      t.equal(first.progress.last_review, day)
      t.equal(first.progress.next_review, day)
      const hard = (await member.post('/api/review', { card_id, rating: 'hard' })).body
      const tomorrow = addDays(day, 1)
      t.equal(hard.progress.next_review, tomorrow)
      t.strictSame((await member.get('/api/review/queue')).body.counts, { due: 0, new: 0 }, `${zone}, end of ${day}`)

      clock.now = new Date(firstSecond)
      t.strictSame((await member.get('/api/review/queue')).body.counts, { due: 1, new: 0 }, `${zone}, after ${day}`)
      t.equal((await member.get('/api/decks')).body.decks[0].due, 1)
      t.strictSame(
        (await member.delete(`/api/review/${hard.review_id}`)).body,
        errorBody(409, 'Nur Bewertungen von heute können zurückgenommen werden'),
      )
      const next = (await member.post('/api/review', { card_id, rating: 'medium' })).body
      t.equal(next.progress.last_review, tomorrow)
      t.ok(next.progress.stability > 3 * hard.progress.stability, 'one day has passed, not zero')
      const { days, streak } = (await member.get('/api/review/stats?days=2')).body
      t.strictSame(
        days.map((entry: { day: string; reviews: number }) => [entry.day, entry.reviews]),
        [
          [day, 2],
          [tomorrow, 1],
        ],
      )
      t.strictSame(streak, { current: 2, longest: 2 })
    }
  })
}
