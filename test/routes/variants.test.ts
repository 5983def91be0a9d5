import t from 'tap'
import { createCard, createCheatsheet, createDeck, createProgress } from '../support/factories.js'
import type { Json } from '../support/openapi.js'
import { type Caller, errorBody, startService } from '../support/service.js'
import { publishTest } from '../support/taken-tests.js'
import { until } from '../support/until.js'
import { createDeckIn, createSheetIn } from '../support/variants.js'

const service = await startService(t, { now: () => new Date('2026-11-21T08:00:00Z') })
const { db } = service
t.afterEach(async () => {
  await db.deleteFrom('decks').execute()
  await db.deleteFrom('cheatsheets').execute()
})

/** A caller whose browser asks for these languages */
const speaking = (caller: Caller, accepted: string) => {
  const headers = { 'accept-language': accepted }
  return {
    get: async (url: string) => (await caller.get(url, { headers })).body,
    post: async (url: string, payload?: object) => (await caller.post(url, payload, { headers })).body,
    delete: async (url: string) => (await caller.send({ method: 'DELETE', url, headers })).body,
    put: (url: string, payload: object) => caller.send({ method: 'PUT', url, payload, headers }),
    queue: async (query = '') => (await caller.get(`/api/review/queue${query}`, { headers })).body,
  }
}
type Person = ReturnType<typeof speaking>
const questionsOf = ({ cards }: Json) => cards.map(({ question }: Json) => question)
const choose = (person: Person, path: string, lang: unknown) => person.put(`/api/variants/${path}`, { lang })
const preferredOf = (items: Json[]) => items.filter(({ preferred }) => preferred).map(({ slug }) => slug)

async function createGroup() {
  const original = await createDeckIn(db, 'de', 'sicher', ['eins', 'zwei'])
  const english = await createDeckIn(db, 'en', 'safe', ['one', 'two', 'three'], original.id)
  const arabic = await createDeckIn(db, 'ar', 'aman', ['wahid'], original.id)
  const other = await createDeckIn(db, 'de', 'anderes', ['anders'])
  return { original, english, arabic, other }
}

t.test('of a group, only the deck in the language of the learner is active', async (t) => {
  await createGroup()
  const member = await service.member()
  for (const [accepted, slug, questions] of [
    ['de', 'sicher', ['anders', 'eins', 'zwei']],
    ['en-US,en;q=0.9,de;q=0.8', 'safe', ['anders', 'one', 'two', 'three']],
    ['ar-EG', 'aman', ['anders', 'wahid']],
    ['fr', 'sicher', ['anders', 'eins', 'zwei']],
    ['tr, en;q=0.5', 'safe', ['anders', 'one', 'two', 'three']],
  ] as const) {
    const person = speaking(member, accepted)
    const { decks } = await person.get('/api/review/decks')
    t.strictSame(preferredOf(decks).sort(), ['anderes', slug].sort(), accepted)
    t.strictSame(
      decks.filter(({ active }: Json) => active).map((deck: Json) => deck.slug),
      decks.filter(({ preferred }: Json) => preferred).map((deck: Json) => deck.slug),
    )
    const queue = await person.queue()
    t.strictSame(questionsOf(queue).sort(), [...questions].sort(), accepted)
    t.strictSame(queue.counts, { due: 0, new: questions.length })
  }
  const { decks } = await speaking(member, 'de').get('/api/review/decks')
  t.match(
    decks.find(({ slug }: Json) => slug === 'safe'),
    { lang: 'en', translation_of: 'sicher', preferred: false, active: false, unseen: 3 },
  )
  t.equal((await member.get('/api/decks')).body.decks.length, 4, 'the specified list has all')
  t.strictSame(questionsOf(await speaking(member, 'de').queue('?deck=safe')), ['one', 'two', 'three'])
})

t.test('progress on another variant is kept, and comes back with it', async (t) => {
  const { original, english, other } = await createGroup()
  const member = await service.member()
  const german = speaking(member, 'de')
  const day = { last_rating: 'hard', next_review: '2026-11-20' } as const
  for (const card_id of [original.ids[0], english.ids[0], english.ids[1], other.ids[0]]) {
    await createProgress(db, { user_id: member.id, card_id: card_id as number, ...day })
  }
  t.strictSame((await german.queue()).counts, { due: 2, new: 1 })
  t.equal((await german.get('/api/review/stats')).forecast[0].due, 2)
  const rated = await german.post('/api/review', { card_id: english.ids[1], rating: 'easy' })
  t.strictSame(rated.counts, { due: 2, new: 1 }, 'a card of another variant counts for nothing')
  t.strictSame((await german.delete(`/api/review/${rated.review_id}`)).counts, { due: 2, new: 1 })
  const chosen = await choose(german, 'decks/sicher', 'en')
  t.strictSame([chosen.status, chosen.body], [200, { slug: 'safe', lang: 'en' }])
  t.strictSame((await german.queue()).counts, { due: 3, new: 1 })
  t.equal((await german.get('/api/review/stats')).forecast[0].due, 3)
  await choose(german, 'decks/safe', 'de')
  t.strictSame((await german.queue()).counts, { due: 2, new: 1 })
  t.match(
    (await german.get('/api/review/stats')).decks.map(({ slug }: Json) => slug),
    ['anderes', 'safe', 'sicher'],
    'the statistics have what was learned, but no untouched deck in another language',
  )
})

t.test('a choice stands for one learner, whatever the language, until another one', async (t) => {
  await createGroup()
  const member = await service.member()
  const [german, english, arabic] = ['de', 'en', 'ar'].map((lang) => speaking(member, lang)) as [Person, Person, Person]
  const preferred = async (person: Person) =>
    preferredOf((await person.get('/api/review/decks')).decks).filter((slug) => slug !== 'anderes')
  await choose(german, 'decks/aman', 'ar')
  for (const person of [german, english, arabic]) t.strictSame(await preferred(person), ['aman'])
  t.strictSame(await preferred(speaking(await service.member(), 'de')), ['sicher'])
  t.strictSame((await member.get('/api/accounts/me/data')).body.chosen_languages, [
    { kind: 'deck', slug: 'sicher', lang: 'ar' },
  ])
  t.strictSame((await choose(english, 'decks/safe', null)).body, { slug: 'safe', lang: 'en' })
  for (const [person, slug] of [
    [german, 'sicher'],
    [english, 'safe'],
    [arabic, 'aman'],
  ] as const) {
    t.strictSame(await preferred(person), [slug])
  }
  await choose(german, 'decks/aman', 'ar')
  await db.updateTable('decks').set({ archived_at: new Date() }).where('slug', '=', 'aman').execute()
  t.strictSame(await preferred(german), ['sicher'], 'an archived variant is not preferred')
  t.strictSame(await preferred(arabic), ['sicher'])
})

t.test('a deck is switched on and off with its variants', async (t) => {
  const { original } = await createGroup()
  const member = await service.member()
  const [german, english] = [speaking(member, 'de'), speaking(member, 'en')]
  const switchDeck = async (person: Person, slug: string, active: boolean) =>
    (await person.put(`/api/review/decks/${slug}`, { active })).body.active
  t.equal(await switchDeck(german, 'sicher', false), false)
  t.strictSame(questionsOf(await english.queue()), ['anders'])
  t.equal(await switchDeck(english, 'safe', true), true)
  t.strictSame(questionsOf(await german.queue()).length, 3)
  await switchDeck(english, 'safe', false)
  t.strictSame(questionsOf(await german.queue()), ['anders'])
  t.equal(await switchDeck(german, 'safe', true), false, 'the other variant is not active, but the group is')
  t.strictSame(questionsOf(await german.queue()).length, 3)
  await db.insertInto('offered_decks').values({ deck_id: original.id }).execute()
  t.strictSame(questionsOf(await english.queue()), ['anders'], 'an offered group waits for the choice')
  t.equal(await switchDeck(english, 'safe', true), true)
  t.strictSame(questionsOf(await german.queue()).length, 3)
})

t.test('a language is refused if there is nothing to choose', async (t) => {
  await createGroup()
  const member = speaking(await service.member(), 'de')
  await createDeck(db, { slug: 'weg', archived_at: new Date() })
  for (const [path, status, field, message] of [
    ['decks/anderes', 400, 'slug', 'Das gibt es nur in einer Sprache'],
    ['decks/weg', 404, undefined, 'Deck nicht gefunden'],
    ['decks/%00', 404, undefined, 'Deck nicht gefunden'],
    ['sheets/sicher', 404, undefined, 'Cheat Sheet nicht gefunden'],
    ['tests/sicher', 404, undefined, 'Test nicht gefunden'],
    ['decks/sicher', 400, 'lang', 'Das Feld „lang“ hat den Wert en-GB, aber in dieser Sprache gibt es das nicht'],
  ] as const) {
    const { body, headers } = await choose(member, path, 'en-GB')
    t.strictSame(body, errorBody(status, message))
    t.equal(headers['x-error-field'], field)
  }
  for (const lang of ['', 'xx', 'kein', '\0', 7, undefined]) {
    const { status, headers } = await choose(member, 'decks/sicher', lang)
    t.strictSame([status, headers['x-error-field']], [400, 'lang'], JSON.stringify(lang))
  }
  t.strictSame(await db.selectFrom('chosen_languages').selectAll().execute(), [])
  t.strictSame((await choose(member, 'karten/sicher', 'en')).body, errorBody(404, 'Unbekannter Varianten-Endpunkt'))
  const unknown = await service.anonymous.get('/api/variants/sheets')
  t.strictSame(unknown.body, errorBody(401, 'Nicht angemeldet'))
})

t.test('sheets tell their language, and which one lists show', async (t) => {
  const original = await createSheetIn(db, 'de', 'zettel', 'Feuer')
  await createSheetIn(db, 'en', 'sheet', 'fire', original.id)
  await createSheetIn(db, 'pl', 'kartka', 'ogień')
  await createCheatsheet(db, { slug: 'skript' })
  const member = await service.member()
  const of = async (accepted: string) => (await speaking(member, accepted).get('/api/variants/sheets')).sheets
  t.strictSame(await of('de'), [
    { slug: 'kartka', lang: 'pl', translation_of: null, preferred: true },
    { slug: 'sheet', lang: 'en', translation_of: 'zettel', preferred: false },
    { slug: 'zettel', lang: 'de', translation_of: null, preferred: true },
  ])
  t.strictSame(preferredOf(await of('en')), ['kartka', 'sheet'])
  await choose(speaking(member, 'de'), 'sheets/zettel', 'en')
  t.strictSame(preferredOf(await of('de')), ['kartka', 'sheet'])
  t.equal((await member.get('/api/cheatsheets')).body.cheatsheets.length, 4, 'the specified list has all')
})

t.test('tests tell their language, and which one lists show', async (t) => {
  const [original, variant] = [await publishTest(db), await publishTest(db)]
  await db.updateTable('tests').set({ lang: 'en', translation_of: original.id }).where('id', '=', variant.id).execute()
  const member = await service.member()
  const [german, english] = [speaking(member, 'de'), speaking(member, 'en')]
  const listed = async (person: Person) => (await person.get('/api/tests')).tests
  // Lists are ordered by slug, which is random here.
  const tests: Json[] = await listed(german)
  const itemOf = (slug: string) => tests.find((test) => test.slug === slug)
  t.match(itemOf(original.slug), { lang: 'de', translation_of: null, preferred: true })
  t.match(itemOf(variant.slug), { lang: 'en', translation_of: original.slug, preferred: false })
  t.strictSame(preferredOf(await listed(english)), [variant.slug])
  const group = [
    { slug: original.slug, lang: 'de' },
    { slug: variant.slug, lang: 'en' },
  ]
  for (const { slug } of group) t.strictSame((await german.get(`/api/tests/${slug}`)).test.group, group)
  t.strictSame((await choose(german, `tests/${original.slug}`, 'en')).body, { slug: variant.slug, lang: 'en' })
  t.strictSame(preferredOf(await listed(german)), [variant.slug])
  await db.updateTable('tests').set({ archived_at: new Date() }).where('id', '=', variant.id).execute()
  t.strictSame(preferredOf(await listed(german)), [original.slug])
  t.strictSame((await german.get(`/api/tests/${original.slug}`)).test.group, [])
  t.match((await choose(german, `tests/${original.slug}`, 'en')).body, { message: 'Das gibt es nur in einer Sprache' })
})

t.test('the search and a quiz of all decks have one variant of each group', async (t) => {
  const { original } = await createGroup()
  const extra = { deck_id: original.id, question: 'Feuer im Keller?', answer: 'Raus' }
  await createCard(db, { ...extra, sort_order: 9 })
  const zettel = await createSheetIn(db, 'de', 'zettel', 'Feuer und fire')
  await createSheetIn(db, 'en', 'sheet', 'fire', zettel.id)
  const member = await service.member()
  await until(() => service.app.updateSearchIndex())
  const hitsOf = async (accepted: string, q: string) =>
    (await speaking(member, accepted).get(`/api/search?q=${q}`)).results.map(({ title }: Json) => title)
  t.strictSame(await hitsOf('de', 'fire'), ['zettel'])
  t.strictSame(await hitsOf('en', 'fire'), ['sheet'])
  t.strictSame(await hitsOf('de', 'wahid'), ['wahid'], 'a word of another variant only finds that one')
  t.strictSame((await hitsOf('en', 'Keller')).length, 1)
  const decksOf = async (accepted: string) => {
    const { questions } = await speaking(member, accepted).get('/api/tests/practice?count=50')
    return [...new Set(questions.map(({ deck_name }: Json) => deck_name))]
  }
  t.strictSame((await decksOf('de')).sort(), ['sicher'])
  t.strictSame((await decksOf('en')).sort(), ['safe'])
  const { questions } = await speaking(member, 'de').get('/api/tests/practice?deck=safe')
  t.equal(questions.length, 3)
})
