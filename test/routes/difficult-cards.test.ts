import t from 'tap'
import { standingClock } from '../support/clock.js'
import { countStatements, createMigratedDatabase, TEST_DATABASE_URL } from '../support/database.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { createUser } from '../support/factories.js'
import { startService } from '../support/service.js'

const MIN_PERSONS = 5

const counter = countStatements(await createMigratedDatabase())
const service = await startService(t, { database: counter.database, now: standingClock() })
const { db } = service
const source = await createSource(db)
const author = await createEditor(service, source)
const deck = await writeDeck(author, source)

const list = async (query = '') => {
  const { status, body } = await author.get(`/api/content/sources/${source}/difficult${query}`)
  t.equal(status, 200)
  return body.cards as { id: number; learners: number | null; again_percent: number | null; as_of: string | null }[]
}

/** Adds a person whose reviews of a card have these ratings; the first rating is that of the new card. */
async function addPerson(cardId: number, ratings: readonly ('again' | 'medium')[]): Promise<void> {
  const { id: user_id } = await createUser(db)
  const { deck_id } = await db.selectFrom('cards').select('deck_id').where('id', '=', cardId).executeTakeFirstOrThrow()
  await db
    .insertInto('card_progress')
    .values({ user_id, card_id: cardId, last_rating: 'medium', next_review: '2026-12-01' })
    .execute()
  const reviews = ratings.map((rating, index) => ({
    user_id,
    card_id: cardId,
    deck_id,
    kind: 'review' as const,
    rating,
    phase: index === 0 ? ('new' as const) : ('recall' as const),
    studied_on: `2026-11-${10 + index}`,
    created_at: new Date(`2026-11-${10 + index}`),
    answer: '{}',
  }))
  await db.insertInto('review_log').values(reviews).execute()
}

t.test('counts the first recall of each person', async (t) => {
  const card = await writeCard(author, deck)
  for (let index = 0; index < 4; index++) await addPerson(card.id, ['medium', 'again', 'medium'])
  for (let index = 0; index < 6; index++) await addPerson(card.id, ['again', 'medium', 'again'])
  for (let index = 0; index < 4; index++) await addPerson(card.id, ['again'])
  t.strictSame(await list(), [], 'only four persons have forgotten the card')
  for (let index = 0; index < 5; index++) await addPerson(card.id, ['medium', 'again'])
  const [found] = await list()
  t.match(found, { id: card.id, question: card.question, deck: card.deck, learners: 15, again_percent: 60, reports: 0 })
  t.type(found?.as_of, 'string')
})

t.test('lists reported cards also without counts', async (t) => {
  const card = await writeCard(author, deck)
  await service.member().then((member) => member.post(`/api/review/cards/${card.id}/reports`, { text: 'Falsch' }))
  t.match(await list('?order=reports'), [{ id: card.id, learners: null, again_percent: null, as_of: null, reports: 1 }])
  t.equal((await author.get(`/api/content/sources/${source}/difficult?order=x`)).status, 400)
})

t.test('reveals nothing about few persons to an author who subtracts all counts', async (t) => {
  const card = await writeCard(author, deck)
  // 5 forget and 5 know the card, then 5 forget it; afterwards both in runs of different lengths.
  const runs = [5, 5, 5, 1, 7, 3, 2, 9, 4, 6, 1, 1, 8]
  const answers = runs.flatMap((length, index) => Array<boolean>(length).fill(index % 2 === 0))
  const seen = [{ forgotten: 0, known: 0, persons: 0 }]
  for (const [index, hasForgotten] of answers.entries()) {
    await addPerson(card.id, ['medium', hasForgotten ? 'again' : 'medium'])
    const { learners = null, again_percent = null } = (await list()).find(({ id }) => id === card.id) ?? {}
    if (learners === null || again_percent === null || learners === seen.at(-1)?.persons) continue
    t.equal((index + 1) % MIN_PERSONS, 0, 'the moment of a renewal does not depend on the last answer')
    const forgotten = Math.round((learners * again_percent) / 100)
    seen.push({ forgotten, known: learners - forgotten, persons: learners })
  }
  t.ok(seen.length > 3, 'the counts are renewed')
  for (const [index, later] of seen.entries()) {
    for (const earlier of seen.slice(0, index)) {
      t.ok(later.forgotten - earlier.forgotten >= MIN_PERSONS)
      t.ok(later.known - earlier.known >= MIN_PERSONS)
    }
  }
})

t.test('locks the source only if a card is due for a check', async (t) => {
  const card = await writeCard(author, deck)
  for (let index = 0; index < MIN_PERSONS; index++) await addPerson(card.id, ['medium', 'again'])
  const [due, checked] = [await counter.countOf(() => list()), await counter.countOf(() => list())]
  t.equal(due - checked, 2, 'the lock and the renewal')
})

// The embedded database has a single connection, which the deletion would hold.
const skip = TEST_DATABASE_URL === undefined && 'needs a server'

t.test('passes over a card that is being deleted', { skip }, async (t) => {
  const ids = [await writeCard(author, deck), await writeCard(author, deck)].map(({ id }) => id)
  const [deleted = 0, kept] = ids
  for (const id of ids) for (let index = 0; index < MIN_PERSONS; index++) await addPerson(id, ['medium', 'again'])
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('cards').where('id', '=', deleted).execute()
    await list()
  })
  const checked = db.selectFrom('card_difficulties').select(['card_id', 'checked_persons']).where('card_id', 'in', ids)
  t.strictSame(await checked.execute(), [{ card_id: kept, checked_persons: MIN_PERSONS }])
})
