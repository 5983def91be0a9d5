import { hash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { TSchema } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import { OwnDataResponse } from '../../routes/accounts/own-data-schemas.js'
import { ASSIGNMENT } from '../support/assignments.js'
import { countStatements, createMigratedDatabase } from '../support/database.js'
import { createSource } from '../support/editing.js'
import { createCard, createCheatsheet, createDeck, createProgress, createUser, unique } from '../support/factories.js'
import { detectLastChunk } from '../support/last-chunk.js'
import { waitForDisconnect, waitForQuiet } from '../support/quiet.js'
import { errorBody, startService } from '../support/service.js'
import { CARDS, publishTest, rightAnswerTo } from '../support/taken-tests.js'

const BATCH = 200
const ENTRIES = 2_000
const URL = '/api/accounts/me/data'

// The embedded database has a single connection, so a stalled download must not hold it.
const { database, count } = countStatements(await createMigratedDatabase())
const service = await startService(t, { database })
const { app, db } = service
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo

async function createLearner() {
  const member = await service.member()
  await sql`
    insert into review_log (user_id, card_id, kind, rating, phase, studied_on, created_at, before, after, answer)
    select ${member.id}, n, 'review', 'easy', 'new', '2026-11-21', now(), null,
      jsonb_build_object('padding', repeat('0123456789', 1000)), '{}'
    from generate_series(1, ${ENTRIES}::integer) as n`.execute(db)
  return member
}

/** Empties the queue of the search index and waits until no statement runs. Returns the number of statements so far. */
async function countAtRest(): Promise<number> {
  await sql`delete from search_pending`.execute(db)
  await waitForQuiet(database, count)
  return count()
}

async function stall(cookie: string | undefined) {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`GET ${URL} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`)
  await waitForQuiet(database, count)
  return socket
}

/** Downloads the data without comparing 20 MB with the schema, which the first test does for a small account. */
const download = (cookie = '') => app.inject({ url: URL, headers: { cookie } })

async function readOn(socket: Awaited<ReturnType<typeof stall>>) {
  let bytes = 0
  let isWhole = false
  const isLastChunk = detectLastChunk()
  socket.on('data', (chunk) => {
    bytes += chunk.length
    isWhole = isLastChunk(chunk)
    if (isWhole) socket.end()
  })
  socket.resume()
  await once(socket, 'close')
  return { bytes, isWhole }
}

t.test('keys and order follow the schema for any number of batches', async (t) => {
  const member = await service.member()
  const other = await createUser(db)
  const deck = await createDeck(db)
  const rows = 2 * BATCH
  await sql`
    insert into cards (deck_id, question, answer)
    select ${deck.id}, '„Frage“ "' || n || E'"\n', 'x' from generate_series(1, ${rows}::integer) as n`.execute(db)
  for (const { id } of [member, other]) {
    await sql`
      insert into card_progress (user_id, card_id, stability) select ${id}::integer, id, 0.1 from cards`.execute(db)
    await sql`insert into suspended_cards (user_id, card_id) select ${id}::integer, id from cards`.execute(db)
    // These rows have equal timestamps, so that the cursor between batches depends on the id.
    await sql`
      insert into quiz_results (user_id, score_percent, total_questions, correct_answers)
      select ${id}::integer, 1, n, 1 from generate_series(1, ${rows + 1}::integer) as n`.execute(db)
  }
  await member.post('/api/auth/tokens', { name: 'Skript' })
  await db.insertInto('identities').values({ user_id: member.id, issuer: 'https://a.example', subject: '1' }).execute()
  const [credential_id, public_key, user_handle] = ['a', 'b', 'c'].map((text) => Buffer.from(text)) as [
    Buffer,
    Buffer,
    Buffer,
  ]
  await db
    .insertInto('passkeys')
    .values({ user_id: member.id, name: 'Telefon', credential_id, public_key, user_handle })
    .execute()
  await sql`
    insert into mails (user_id, kind, day, address, subject, next_attempt_at)
    values (${member.id}, 'tasks', '2026-01-01', 'a@example.org', 'Eine Aufgabe', now())`.execute(db)
  const source = await createSource(db, { name: 'Werkstatt' })
  for (const user_id of [member.id, other.id]) {
    await db.insertInto('source_editors').values({ source_id: source, user_id }).execute()
    const change = { user_id, editor_id: null, how: 'edit', source_id: source } as const
    await db.insertInto('content_changes').values(change).execute()
  }
  await db
    .insertInto('content_changes')
    .values({ user_id: other.id, editor_id: member.id, how: 'suggestion', source_id: source })
    .execute()
  for (const [created_by, text] of [
    [member.id, 'a'],
    [other.id, 'b'],
  ] as const) {
    const bytes = Buffer.from(text)
    const picture = { sha256: hash('sha256', bytes, 'buffer'), extension: 'png', size_bytes: 1, bytes } as const
    await db
      .insertInto('media')
      .values({ ...picture, created_by })
      .execute()
  }
  const last = await createCard(db, { deck_id: deck.id })
  await createProgress(db, { user_id: member.id, card_id: last.id, last_rating: 'easy', next_review: '2026-12-24' })
  await member.post('/api/review', { card_id: last.id, rating: 'hard' })
  await member.post(`/api/review/cards/${last.id}/reports`, {
    text: 'Falsch',
    suggestion: { question: 'Besser?', answer: 'Ja' },
  })
  await member.send({ method: 'PUT', url: '/api/review/settings', payload: { new_per_day: 7 } })
  const wish = { active: false, desired_retention: 0.95 }
  await member.send({ method: 'PUT', url: `/api/review/decks/${deck.slug}`, payload: wish })
  await db.insertInto('chosen_languages').values({ user_id: member.id, deck_id: deck.id, lang: 'en' }).execute()
  await member.send({ method: 'PUT', url: `/api/review/cards/${last.id}/note`, payload: { text: 'Eselsbrücke' } })
  const team = await db.insertInto('teams').values({ name: 'Süd' }).returning('id').executeTakeFirstOrThrow()
  for (const user_id of [member.id, other.id]) {
    const membership = { team_id: team.id, user_id, role: 'lead', origin: 'hand', from_on: '2026-01-01' } as const
    await db.insertInto('team_members').values(membership).execute()
  }
  const { slug } = await createCheatsheet(db)
  const assignment = { ...ASSIGNMENT, parts: [{ kind: 'sheet', slug }], audience: { user_ids: [member.id, other.id] } }
  await (await service.admin()).post('/api/assignments', { ...assignment, starts: '2026-01-01', due: '2026-06-30' })
  const [{ id: occurrence }] = (await member.get('/api/assignments/mine')).body.occurrences
  await member.post(`/api/assignments/occurrences/${occurrence}/confirm`, { part: 0 })
  await db
    .insertInto('fitted_parameters')
    .values({ user_id: member.id, tried_at: new Date(), tried_items: 500 })
    .execute()

  const hidden = await publishTest(db, { review: 'none' })
  const shown = await publishTest(db, { review: 'result', review_when: 'now' }, { cards: [CARDS.single] })
  for (const { slug } of [hidden, shown]) {
    for (const taker of [member, await service.member()]) {
      const client_id = unique('client')
      const { attempt } = (await taker.post(`/api/tests/${slug}/attempts`, { client_id })).body
      const answer = { seq: 1, answer: rightAnswerTo(attempt.questions[0]) }
      await taker.send({ method: 'PUT', url: `/api/tests/attempts/${attempt.id}/answers/0`, payload: answer })
      await taker.post(`/api/tests/attempts/${attempt.id}/submit`)
    }
  }
  for (const client_id of ['client-1', 'client-2']) {
    await db
      .insertInto('form_requests')
      .values({ user_id: member.id, kind: 'team', client_id, body_hash: Buffer.alloc(32), object_id: 7 })
      .execute()
  }
  const { body } = await member.get(URL)
  t.match(body.attempts, [
    { test_slug: hidden.slug, number: 1, passed: null, score_percent: null },
    { test_slug: shown.slug, number: 1, passed: true, score_percent: 100 },
  ])
  t.equal(body.answers.length, 7)
  const { parts, answer } = body.answers.at(-1)
  t.strictSame(parts.find(({ id }: { id: string }) => id === answer.option_ids[0])?.text, '72 Stunden')
  t.notMatch(JSON.stringify(body.answers), /"correct"|"accepted"|"points"/)
  t.strictSame(Object.keys(body), Object.keys(OwnDataResponse.properties))
  for (const [name, { items, properties }] of Object.entries<TSchema>(OwnDataResponse.properties)) {
    const value = items === undefined ? body[name] : body[name][0]
    const expected = items === undefined ? properties : items.properties
    if (expected !== undefined) t.strictSame(Object.keys(value), Object.keys(expected), name)
  }
  const cards = await db.selectFrom('cards').select(['id', 'question']).where('deck_id', '=', deck.id).execute()
  const questions = new Map(cards.map(({ id, question }) => [id, question]))
  t.match(body.form_requests, [{ client_id: 'client-1' }, { kind: 'team', client_id: 'client-2', object_id: 7 }])
  t.equal(body.progress.length, rows + 1)
  t.match(body.pictures, [{ sha: hash('sha256', 'a'), extension: 'png', size_bytes: 1 }])
  t.equal(body.pictures.length, 1)
  t.strictSame(body.teams, [{ name: 'Süd', role: 'lead', origin: 'hand', from_on: '2026-01-01', until_on: null }])
  t.match(body.edited_sources, [{ source_id: source, name: 'Werkstatt' }])
  t.match(body.changes, [
    { how: 'edit', source_id: source, accepted: null },
    { how: 'suggestion', source_id: source, accepted: true },
  ])
  t.equal(new Set(body.progress.map(({ card_id }: { card_id: number }) => card_id)).size, rows + 1)
  for (const { card_id, question } of body.progress) {
    if (questions.get(card_id) !== question) t.equal(question, questions.get(card_id))
  }
  t.equal(body.progress[0].stability, 0.1)
  t.strictSame(
    body.suspended_cards,
    cards.map(({ id }) => id).filter((id) => id !== last.id),
  )
  t.strictSame(body.inactive_decks, [deck.slug])
  t.strictSame(
    body.results.map((result: { total_questions: number }) => result.total_questions),
    Array.from({ length: rows + 1 }, (_, index) => index + 1),
  )
})

const learner = await createLearner()

t.test('a stalled download holds no connection and is the only one of its user', async (t) => {
  const other = await service.member()
  const before = await countAtRest()
  const socket = await stall(learner.cookie)
  // A download sends statements for the session, the results that may be shown, the user and six lists, and for batches of
  // the log until the buffers are full.
  t.ok(count() - before < 9 + ENTRIES / BATCH, `${count() - before} statements`)

  const refused = await learner.get(URL)
  t.strictSame(refused.body, errorBody(429, 'Zu viele Versuche, bitte später erneut'))
  t.ok(Number(refused.headers['retry-after']) > 0)
  t.equal((await other.get(URL)).status, 200, 'other users get their data')
  t.equal((await learner.get('/api/decks')).status, 200)

  const { bytes, isWhole } = await readOn(socket)
  t.ok(bytes > ENTRIES * 10_000, 'a client that continues to read gets the rest')
  t.ok(isWhole)
  t.equal((await download(learner.cookie)).json().reviews.length, ENTRIES, 'and may request the data again')
})

t.test('stops reading after a disconnect and allows a new request', async (t) => {
  const before = await countAtRest()
  const socket = await stall(learner.cookie)
  socket.destroy()
  await waitForDisconnect(app.server)
  await waitForQuiet(database, count)
  t.ok(count() - before < 9 + ENTRIES / BATCH, `${count() - before} statements`)
  t.equal((await download(learner.cookie)).statusCode, 200)
})

t.test('the data of a user deleted during the download do not look complete', async (t) => {
  const socket = await stall(learner.cookie)
  const admin = await service.admin()
  t.strictSame((await admin.delete(`/api/admin/users/${learner.id}`)).body, { ok: true })
  const { bytes, isWhole } = await readOn(socket)
  t.ok(bytes > 0 && bytes < ENTRIES * 10_000, `${bytes}`)
  t.notOk(isWhole)
  t.strictSame((await learner.get(URL)).body, errorBody(401, 'Nicht angemeldet'))
})
