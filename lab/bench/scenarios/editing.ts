import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { openDatabase } from '../../../dist/db/client.js'
import type { Database } from '../../../dist/db/types.js'
import { openSession } from '../../../dist/test/support/process.js'
import { median } from '../median.js'
import { PASSWORD } from '../password.js'
import type { Postgres } from '../postgres.js'
import { type Server, startService } from '../processes.js'
import { below, type Measure } from '../report.js'
import { LEARNER, sizeOf } from '../seed.js'

const SIZES = [1_000, 1_000_000]
const ROUNDS = 60
/** Number of warm-up rounds; PostgreSQL plans each of the first five executions of a prepared statement. */
const WARM_UP = 10
const DECK = 'deck-1'

/**
 * Measures the time to save a card (compared with the time to rate it), to load the first page of a deck, and to update
 * the search index after the save. One user sends all requests on one connection.
 */
export async function measureEditing(postgres: Postgres): Promise<Measure[]> {
  const measures: Measure[] = []
  for (const cards of SIZES) {
    const databaseUrl = await postgres.database(sizeOf(cards))
    const { db, close } = await openDatabase({ databaseUrl, dataDir: '', poolMax: 1, onIdleError: () => {} })
    try {
      const ids = await handOver(db)
      const service = await startService(databaseUrl, { DATABASE_POOL_MAX: '1' })
      const send = createSender(service, await openSession(service.url, { username: LEARNER, password: PASSWORD }))
      measures.push(...(await measureSize(db, send, cards, ids)))
    } finally {
      await close()
    }
  }
  return measures
}

async function measureSize(db: Kysely<Database>, send: Send, cards: number, ids: number[]): Promise<Measure[]> {
  const of = `${cards} cards, ${ids.length} in the deck`
  const index: number[] = []
  const saves: number[] = []
  const reviews: number[] = []
  const pages: number[] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const id = ids[round % ids.length] as number
    const { card } = (await send('GET', `content/cards/${id}`)) as { card: { version: number; answer: string } }
    const body = {
      version: card.version,
      answer: `Neue ${card.answer}`,
      question: `Frage ${round} von Fassung ${card.version}?`,
    }
    const review = await time(() => send('POST', 'review', { card_id: id, rating: 'medium' }))
    const save = await time(() => send('PATCH', `content/cards/${id}`, body))
    const page = await time(() => send('GET', `content/cards?deck=${DECK}`))
    if (round >= WARM_UP) {
      reviews.push(review)
      saves.push(save)
      pages.push(page)
    }
    // The indexing must not overlap with the next round.
    const indexed = await time(() => waitForIndex(db))
    if (round >= WARM_UP) index.push(indexed)
  }
  const ratio = median(saves) / median(reviews)
  return [
    {
      what: `PATCH /api/content/cards/{id}, question and answer: ${of}; usual: POST /api/review in turns with it`,
      service: show(saves),
      usual: show(reviews),
      target: '≤ 2 × POST /api/review',
      reached: ratio.toFixed(2),
      met: ratio <= 2,
    },
    {
      what: `GET /api/content/cards?deck=${DECK}: ${of}`,
      service: show(pages),
      ...below(100, median(pages), 'ms'),
    },
    {
      what: `From a save until the search index knows it: ${of}`,
      service: show(index),
      ...below(1_000, Math.max(...index), 'ms'),
    },
  ]
}

async function handOver(db: Kysely<Database>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with source as (
      insert into content_sources (kind, name, size_bytes) values ('written', 'Messung', 0) returning id
    ),
    author as (update users set is_author = true where username = ${LEARNER} returning id),
    editor as (
      insert into source_editors (source_id, user_id) select source.id, author.id from source, author
    ),
    deck as (
      insert into imported_decks (deck_id, source_id, source_key)
      select decks.id, source.id, slug from decks, source where slug = ${DECK}
      returning deck_id
    ),
    identities as (
      insert into imported_cards (card_id, deck_id, key)
      select id, cards.deck_id, 'k-' || id from cards join deck on deck.deck_id = cards.deck_id
    )
    select id from cards join deck on deck.deck_id = cards.deck_id order by sort_order`.execute(db)
  await sql`analyze imported_cards, imported_decks`.execute(db)
  return rows.map(({ id }) => id)
}

async function waitForIndex(db: Kysely<Database>): Promise<void> {
  for (;;) {
    const pending = await db.selectFrom('search_pending').select('id').limit(1).executeTakeFirst()
    if (pending === undefined) return
    await sleep(5)
  }
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function show(given: number[]): string {
  const times = given.toSorted((a, b) => a - b)
  return `p50 ${median(times).toFixed(1)} ms, p95 ${times[Math.floor(times.length * 0.95)]?.toFixed(1)} ms`
}

type Send = (method: string, path: string, body?: object) => Promise<unknown>

function createSender(server: Server, cookie: string): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return async (method, path, body) => {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const headers = { cookie, ...(payload !== undefined && { 'content-type': 'application/json' }) }
    return new Promise((resolve, reject) => {
      const sent = request(`${server.url}/api/${path}`, { method, agent, headers }, async (response) => {
        const received = await text(response)
        if (response.statusCode === 200) resolve(JSON.parse(received))
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${received}`))
      })
      sent.on('error', reject)
      sent.end(payload)
    })
  }
}
