import { fileURLToPath } from 'node:url'
import { type Kysely, sql } from 'kysely'
import { openDatabase } from '../../db/client.js'
import type { Database } from '../../db/types.js'
import { SESSION_COOKIE } from '../../plugins/session.js'
import { buildApp } from '../../src/app.js'
import { noonOf } from '../../src/calendar.js'
import { hashPassword } from '../../src/passwords.js'
import { type Postgres, withDatabase } from '../postgres.js'
import type { Measure } from '../report.js'
import { PASSWORD } from '../seed.js'

const SIZES = [20_000, 1_000_000]
const DECKS = 50
const SEEN = 10_000
const LOGGED = 100_000
const ROUNDS = 60
const TODAY = '2026-11-21'

/**
 * The review endpoints for a learner with 10,000 progress rows, who went through the cards in deck order, and 100,000
 * entries in the log, beside 200 other users; few cards beside many.
 */
export async function measureReviews(postgres: Postgres): Promise<Measure[]> {
  const measures: Measure[] = []
  for (const cards of SIZES) {
    const databaseUrl = await postgres.createDatabase()
    await withDatabase(databaseUrl, (db) => seed(db, cards))
    for (const [what, value] of await measureAll(databaseUrl, cards)) {
      measures.push({ what: `${what}, ${cards.toLocaleString('en')} cards`, value })
    }
  }
  return measures
}

async function seed(db: Kysely<Database>, cards: number): Promise<void> {
  const hash = await hashPassword(PASSWORD)
  await sql`insert into users (username, password_hash, display_name)
    select 'u' || i, ${hash}, 'U' from generate_series(1, 201) i`.execute(db)
  await sql`insert into decks (slug, name, sort_order)
    select 'd' || i, 'Deck ' || i, i from generate_series(1, ${DECKS}::integer) i`.execute(db)
  for (let deck = 1; deck <= DECKS; deck++) {
    await sql`insert into cards (deck_id, question, answer, level, sort_order)
      select ${deck}::integer, repeat('Frage ', 10) || i, repeat('Antwort ', 20) || i, 'grundlagen', i
      from generate_series(1, ${cards / DECKS}::integer) i`.execute(db)
  }
  const progress = sql`card_progress
    (user_id, card_id, last_rating, next_review, stability, difficulty, last_review, reps, lapses)`
  await sql`insert into ${progress}
    select 1, id, 'medium', ${TODAY}::date + id * 7919 % 120 - 3, 20, 5, ${TODAY}::date - id * 31 % 60 - 1, 10, 1
    from (select id from cards order by deck_id, sort_order limit ${SEEN}) as first`.execute(db)
  // In batches, since a statement that takes too long is ended.
  for (let user = 2; user <= 201; user += 20) {
    await sql`insert into ${progress}
      select u, (u * 37 + i) % ${cards}::integer + 1, 'medium', ${TODAY}::date + i % 100 - 10, 20, 5, '2026-11-01', 3, 0
      from generate_series(${user}::integer, ${user + 19}::integer) u, generate_series(1, 1000) i`.execute(db)
  }
  await log(db, 1, 1, LOGGED)
  for (let user = 2; user <= 101; user += 20) await log(db, user, user + 19, 2_000)
  await sql`insert into suspended_cards select 1, id from cards where id % 97 = 0 and id < 12000`.execute(db)
  await sql`vacuum analyze`.execute(db)
  await sql`checkpoint`.execute(db)
}

async function log(db: Kysely<Database>, firstUser: number, lastUser: number, entries: number): Promise<void> {
  const state = {
    last_rating: 'medium',
    next_review: TODAY,
    stability: 20.12345678,
    difficulty: 5.12345678,
    last_review: '2026-11-01',
    reps: 3,
    lapses: 0,
    last_review_id: 1,
  }
  await sql`insert into review_log (user_id, card_id, deck_id, kind, rating, previous_rating, phase, interval_days,
      duration_ms, studied_on, created_at, before, after, answer)
    select u, i % ${SEEN}::integer + 1, 1, 'review', (array['again', 'hard', 'medium', 'easy'])[1 + i % 4], 'medium',
      (array['new', 'recall', 'recall', 'recall', 'repeat'])[1 + i % 5], i % 60, 3000,
      ${TODAY}::date - 1 - (${entries}::integer - i) / (${entries}::integer / 1000), now(),
      ${JSON.stringify(state)}::jsonb, ${JSON.stringify(state)}::jsonb, '{"due": 100, "new": 20}'
    from generate_series(${firstUser}::integer, ${lastUser}::integer) u,
      generate_series(1, ${entries}::integer) i`.execute(db)
}

async function measureAll(databaseUrl: string, cards: number): Promise<[what: string, value: string][]> {
  const database = await openDatabase({ databaseUrl, dataDir: '', poolMax: 4, onIdleError: console.error })
  const contentDir = fileURLToPath(new URL('../../../content', import.meta.url))
  const app = await buildApp({
    config: { contentDir, corsOrigins: [], timeZone: 'Europe/Berlin', trustProxy: [], rateLimit: 0 },
    sessionSecrets: [PASSWORD.repeat(4)],
    database,
    logger: false,
    now: () => noonOf(TODAY),
  })
  const login = await app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { username: 'u1', password: PASSWORD },
  })
  const session = login.cookies.find(({ name }) => name === SESSION_COOKIE)?.value
  const send = async (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) => {
    const response = await app.inject({
      method,
      url: `/api/${path}`,
      headers: { cookie: `${SESSION_COOKIE}=${session}` },
      ...(payload !== undefined && { payload }),
    })
    if (response.statusCode !== 200) throw new Error(`${method} ${path}: ${response.body}`)
    return response.json()
  }
  const found: [string, string][] = []
  const measure = async (what: string, work: (round: number) => Promise<unknown>) => {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now()
      await work(round)
      times.push(performance.now() - started)
    }
    times.sort((a, b) => a - b)
    const at = (share: number) => (times[Math.floor(share * ROUNDS)] ?? 0).toFixed(1)
    found.push([what, `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`])
  }

  await measure('GET decks (for comparison)', () => send('GET', 'decks'))
  await measure('GET queue', () => send('GET', 'review/queue'))
  await measure('GET queue?deck= of an unseen deck', () => send('GET', `review/queue?deck=d${DECKS}`))
  const reviews: number[] = []
  await measure('POST a review', async (round) => {
    reviews.push((await send('POST', 'review', { card_id: round + 1, rating: 'medium' })).review_id)
  })
  await measure('DELETE a review', () => send('DELETE', `review/${reviews.pop()}`))
  await measure('GET stats?days=365', () => send('GET', 'review/stats?days=365'))
  await measure('GET history', () => send('GET', 'review/history'))
  await measure('GET history, in the middle', () => send('GET', 'review/history?before=50000'))
  await measure('GET cards', () => send('GET', 'review/cards'))
  await measure('GET cards, in the middle', () => send('GET', `review/cards?after=${cards / 2}`))
  for (const state of ['new', 'due', 'learned', 'suspended']) {
    await measure(`GET cards?state=${state}`, () => send('GET', `review/cards?state=${state}`))
  }
  await app.close()
  return found
}
