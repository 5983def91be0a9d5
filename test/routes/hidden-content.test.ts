import type { RouteOptions } from 'fastify'
import t from 'tap'
import { standingClock } from '../support/clock.js'
import { createEditor, createSource, writeCard, writeDeck } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { query, unzip } from '../support/packages.js'
import { gifOf } from '../support/pictures.js'
import { routesClosedToLearners } from '../support/roles.js'
import { errorBody, startService } from '../support/service.js'
import { until } from '../support/until.js'

/** Substring of the texts that only editors may see */
const MARK = 'geheimwort'
const UNKNOWN_CARD = 99_999

const routes: RouteOptions[] = []
const service = await startService(t, { now: standingClock(), onRoute: (route) => routes.push(route) })
const { app, db } = service
const source = await createSource(db)
const editor = await createEditor(service, source)
const learner = await service.member()

const upload = async (seed: string) => {
  const headers = { 'content-type': 'image/gif' }
  const { body } = await editor.post('/api/content/media', gifOf(seed), { headers })
  return body as { sha: string; address: string }
}
const secret = (text: string) => `${text} ${MARK}`
const secretCard = async (rest: object = {}) => {
  const { sha, address } = await upload(unique('bild'))
  const options = [{ text: secret('Falsch'), correct: false, feedback: secret('Nein') }]
  return {
    sha,
    card: {
      question: secret(unique('Frage')),
      answer: `${secret('Antwort')} ![](${address})`,
      level: secret('Stufe'),
      ...(Object.hasOwn(rest, 'plain') ? {} : { options }),
    },
  }
}

const deck = await writeDeck(editor, source, { name: 'Offen' })
const live = await writeCard(editor, deck, { question: 'Offene Frage?', answer: 'Offene Antwort' })

// Returns responses to a learner. The test compares the responses from before and after it creates hidden content.
const snapshot = async () => {
  const paths = [
    ...['/api/decks', '/api/cheatsheets', '/api/review/queue', '/api/review/cards', '/api/review/decks'],
    ...['/api/review/stats', '/api/search?q=Frage', '/api/quiz/generate?count=1'],
  ]
  const bodies: Record<string, unknown> = {}
  for (const path of paths) bodies[path] = (await learner.get(path)).body
  return bodies
}
await until(() => app.updateSearchIndex())
const before = await snapshot()

// Creates content that is hidden from the start.
const drafts = [await secretCard(), await secretCard()]
const draft = await writeCard(editor, deck, { ...drafts[0]?.card, draft: true })
const pool = await writeDeck(editor, source, { name: secret('Vorrat'), description: secret('Text'), tests_only: true })
const pooled = await writeCard(editor, pool, drafts[1]?.card)
const pooledDraft = await writeCard(editor, pool, { ...(await secretCard({ plain: true })).card, draft: true })
const picture = await upload('spickzettel')
const { sheet } = (
  await editor.post('/api/content/sheets', {
    source_id: source,
    title: secret('Titel'),
    category: secret('Rubrik'),
    draft: true,
    client_id: unique('c'),
    content_md: `# ${secret('Text')} ![](${picture.address})`,
  })
).body

const unpublished = await editor.send({
  method: 'PUT',
  url: `/api/content/tests/${unique('test')}`,
  payload: { source_id: source, name: secret('Test'), sections: [{ deck: pool }] },
})

// Creates content and hides it later: two cards that a learner has rated and reported, and a deck that is archived.
const studied = await writeCard(editor, deck, { question: `Gelernt ${MARK}` })
const moved = await writeCard(editor, deck, { question: `Verschoben ${MARK}` })
const reviews: number[] = []
for (const { id } of [studied, moved]) {
  reviews.push((await learner.post('/api/review', { card_id: id, rating: 'hard' })).body.review_id)
  await learner.post(`/api/review/cards/${id}/reports`, { text: 'Stimmt das?' })
}
await editor.patch(`/api/content/cards/${studied.id}`, { draft: true })
await editor.patch(`/api/content/cards/${moved.id}`, { deck: pool })
const published = await writeDeck(editor, source, { name: secret('Archiv') })
const archived = await writeCard(editor, published, { question: `Archiviert ${MARK}` })
await editor.patch(`/api/content/decks/${published}`, { archived: true })
await until(() => app.updateSearchIndex())

const secretIds = [draft.id, pooled.id, pooledDraft.id, studied.id, moved.id]
const shas = [...drafts.map(({ sha }) => sha), picture.sha]

t.test('learners see the same lists, counts and results as without hidden content', async (t) => {
  const now = await snapshot()
  const stats = now['/api/review/stats'] as { days: unknown; streak: unknown; retention: unknown }
  // The daily figures differ, because both reviews count for the learner although the cards are hidden now.
  const own = before['/api/review/stats'] as typeof stats
  t.strictSame(
    { ...stats, days: null, streak: null, retention: null },
    { ...own, days: null, streak: null, retention: null },
  )
  const counts = (body: unknown) => (body as { counts: { due: number } }).counts.due
  t.equal(counts(now['/api/review/queue']), counts(before['/api/review/queue']))
  for (const [path, body] of Object.entries(now)) {
    if (path !== '/api/review/stats' && path !== '/api/review/queue') t.strictSame(body, before[path], path)
  }
})

t.test('nothing hidden is found by its id', async (t) => {
  for (const id of secretIds) {
    const path = `/api/review/cards/${id}`
    const responses = [
      await learner.get(path),
      await learner.post(`${path}/suspend`),
      await learner.post(`${path}/reset`),
      await learner.post(`${path}/tomorrow`, {}),
      await learner.post(`${path}/reports`, { text: 'x' }),
      await learner.send({ method: 'PUT', url: `${path}/note`, payload: { text: 'x' } }),
      await learner.post('/api/review', { card_id: id, rating: 'easy' }),
    ]
    for (const { body } of responses) t.strictSame(body, errorBody(404, 'Karte nicht gefunden'))
    const batch = await learner.post('/api/review/batch', { reviews: [{ card_id: id, rating: 'easy' }] })
    t.match(batch.body.results, [{ status: 404 }])
  }
  for (const slug of [pool, published]) {
    t.equal((await learner.get(`/api/decks/${slug}`)).status, 404)
    t.equal(
      (await learner.send({ method: 'PUT', url: `/api/review/decks/${slug}`, payload: { active: false } })).status,
      404,
    )
    t.equal((await learner.get(`/api/content/export?format=csv&deck=${slug}`)).status, 404)
    t.equal((await learner.get(`/api/review/queue?deck=${slug}`)).status, 404)
  }
  t.equal((await learner.get(`/api/cheatsheets/${sheet.slug}`)).status, 404)
  for (const sha of shas) t.equal((await learner.get(`/api/content/media/${sha}`)).status, 404, sha)
  t.match((await learner.get(`/api/review/cards/${archived.id}`)).body.card, { archived: true }, 'unlike archived ones')
})

t.test('no route returns a hidden text to a learner', async (t) => {
  const values: Record<string, (string | number)[]> = {
    id: [...secretIds, ...reviews, UNKNOWN_CARD],
    slug: [pool, deck, sheet.slug],
    sha: shas,
  }
  const queries: Record<string, string[]> = {
    '/api/quiz/generate': ['?count=50', `?deck=${pool}`, `?deck=${deck}&count=50`],
    '/api/cheatsheets/search': [`?q=${MARK}`, '?q=Te'],
    '/api/review/queue': ['?limit=300', `?deck=${pool}`, `?deck=${deck}`],
    '/api/review/cards': ['?limit=200', `?deck=${deck}`, `?q=${MARK}`, '?state=new', '?state=learned', '?state=due'],
    '/api/review/history': ['', `?deck=${deck}`, `?deck=${pool}`, ...secretIds.map((id) => `?card=${id}`)],
    '/api/search': [`?q=${MARK}`, '?q=Frage', '?q=Verschoben', '?q=Vorrat'],
    '/api/content/export': ['?format=csv', `?format=csv&deck=${deck}`, `?format=csv&source=${source}`],
    '/api/content/cards': [`?deck=${deck}`, `?deck=${pool}`],
  }
  const reading = routes.filter(({ method, url }) => [method].flat()[0] === 'GET' && url.startsWith('/api/'))
  // These routes refuse every id alike.
  const closed = await routesClosedToLearners()
  let asked = 0
  for (const { url } of reading) {
    if (url.includes('/oidc/')) continue
    const [, name] = /:(\w+)/.exec(url) ?? []
    const paths =
      name === undefined ? [url] : (values[name] ?? ['1']).map((value) => url.replace(`:${name}`, `${value}`))
    const isClosed = closed.has(`GET ${url.replaceAll(/:(\w+)/g, '{$1}')}`)
    for (const path of isClosed ? paths.slice(0, 1) : paths) {
      for (const search of queries[url] ?? ['']) {
        const response = await learner.get(path.replaceAll(/:\w+/g, '1') + search)
        asked++
        // Removes the parameters of the request, which the responses of search and quiz repeat.
        const text = response.text.replaceAll(/"query":"\w+"/g, '').replaceAll(`"deck":"${pool}"}`, '')
        t.notMatch(text, new RegExp(`${MARK}|Stufe|Vorrat`), `${path}${search}`)
      }
    }
  }
  t.ok(asked > 60, `${asked} requests`)
})

t.test('a search does not reveal whether a hidden text contains a word', async (t) => {
  await until(() => app.updateSearchIndex())
  for (const [hidden, unknown] of [
    [MARK, 'unbekanntes'],
    ['geheimwrot', 'unbekannest'],
    ['geheim', 'unbeka'],
  ] as const) {
    const [one, other] = [await learner.get(`/api/search?q=${hidden}`), await learner.get(`/api/search?q=${unknown}`)]
    t.strictSame({ ...one.body, query: null }, { ...other.body, query: null }, hidden)
  }
})

t.test('no export contains hidden content', async (t) => {
  const download = async (parameters: string) => {
    const { cookie = '' } = learner
    return (await app.inject({ url: `/api/content/export?${parameters}`, headers: { cookie } })).rawPayload
  }
  for (const parameters of ['format=markdown', `format=markdown&deck=${deck}`, `format=markdown&source=${source}`]) {
    const files = await unzip(await download(parameters))
    t.ok(files.size > 0)
    for (const [name, bytes] of files) t.notMatch(`${name} ${bytes}`, MARK, name)
    t.notOk([...files.keys()].some((name) => shas.some((sha) => name.includes(sha))))
  }
  const files = await unzip(await download('format=apkg&progress=true'))
  const [name = ''] = [...files.keys()].filter((file) => file.startsWith('collection.anki2'))
  const notes = query(files.get(name), 'select flds from notes')
  t.equal(notes.length, 1)
  t.notMatch(JSON.stringify(notes), MARK)
})

t.test('a hidden answer is no option of a quiz', async (t) => {
  for (let round = 0; round < 3; round++) {
    t.notMatch((await learner.get('/api/quiz/generate?count=50')).text, MARK)
  }
  const { total } = await db.selectFrom('distinct_answer_totals').select('total').executeTakeFirstOrThrow()
  t.equal(total, 1, 'only the answer of the live card')
  t.equal(live.version, 1)
})

t.test("the user's data contain the progress of hidden cards without their texts", async (t) => {
  const { body } = await learner.get('/api/accounts/me/data')
  t.strictSame(
    body.progress.map(({ card_id, question, deck_slug }: Record<string, unknown>) => ({
      card_id,
      question,
      deck_slug,
    })),
    [studied.id, moved.id].map((card_id) => ({ card_id, question: null, deck_slug: null })),
  )
})

t.test('editors see all hidden content', async (t) => {
  t.match((await editor.get(`/api/content/cards/${draft.id}`)).text, MARK)
  t.match((await editor.get(`/api/content/cards?deck=${pool}`)).text, MARK)
  t.match(unpublished, { status: 200, text: new RegExp(MARK) })
  t.equal((await editor.get(`/api/content/media/${shas[0]}`)).status, 200)
})
