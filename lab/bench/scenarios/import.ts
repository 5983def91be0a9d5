import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { readContent } from '../../../dist/src/services/content/folder/read.js'
import { openSession } from '../../../dist/test/support/process.js'
import { load } from '../load.js'
import { median } from '../median.js'
import { PASSWORD } from '../password.js'
import { type Postgres, withDatabase } from '../postgres.js'
import { makeFolder, ROOT, runMeasured, startService } from '../processes.js'
import { atLeast, below, type Measure } from '../report.js'

const DECKS = 50
const CARDS = 100_000
const ROUNDS = 3
/** Number of cards in the deck whose file is removed before an import */
const GONE = 10_000
/** Number of cards for the conventional implementation, which is too slow for all cards */
const USUAL_CARDS = 5_000

/** Compares a first import with one INSERT of the same rows, and measures imports of unchanged and changed content. */
export async function measureImport(postgres: Postgres): Promise<Measure[]> {
  const folder = await makeFolder()
  await writeContent(folder, 'Antwort')
  const parsing: number[] = []
  const plain: number[] = []
  const first: Imported[] = []
  const again: Imported[] = []
  let databaseUrl = ''
  let usual = 0
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now()
    const { content, faults } = await readContent(folder)
    parsing.push((performance.now() - started) / 1000)
    if (faults.length > 0) throw new Error(JSON.stringify(faults[0]))
    const rows = content.decks.flatMap((deck, index) =>
      deck.cards.map((card, position) => ({ ...card, deck: index + 1, position })),
    )
    plain.push(await insertPlainly(await postgres.createDatabase(), rows))
    if (round === 0) usual = await insertTheUsualWay(await postgres.createDatabase(), rows.slice(0, USUAL_CARDS))
    databaseUrl = await postgres.createDatabase()
    await withDatabase(databaseUrl, async () => {})
    first.push(await importOnce(databaseUrl, folder))
    again.push(await importOnce(databaseUrl, folder))
  }
  const whole = median(first.map(({ seconds }) => seconds))
  const unchanged = median(again.map(({ seconds }) => seconds))
  const written = Math.max(...again.map((imported) => imported.written))
  const ratio = median(first.map(({ seconds }, round) => (plain[round] ?? 0) / (seconds - (parsing[round] ?? 0))))
  return [
    {
      what: `first import of ${CARDS} cards, the start of the program included; limit: one INSERT … SELECT unnest of the same rows; usual way: one INSERT a card`,
      service: `${whole.toFixed(1)} s, parsing ${median(parsing).toFixed(1)} s`,
      limit: `${median(plain).toFixed(1)} s`,
      usual: `${Math.round(USUAL_CARDS / usual)} cards/s, that is ${((usual * CARDS) / USUAL_CARDS).toFixed(0)} s`,
      ...atLeast(0.3, ratio, 'limit, without parsing'),
    },
    { what: 'the same, highest memory', ...below(512, Math.max(...first.map(({ memory }) => memory)), 'MB') },
    { what: 'the same once more, unchanged', service: `${unchanged.toFixed(1)} s`, ...below(5, unchanged, 's') },
    {
      what: 'rows written by the unchanged import',
      target: '0',
      reached: String(written),
      met: written === 0,
    },
    await measureReaders(databaseUrl, folder),
    ...(await measureHugeDeck(postgres)),
  ]
}

/**
 * Measures a first import and an import that changes every card, in one deck and in 100 decks, and an import that
 * archives a deck. One deck must take less than twice as long as 100 decks.
 */
async function measureHugeDeck(postgres: Postgres): Promise<Measure[]> {
  const runs: Record<'first' | 'changed', number>[] = []
  for (const decks of [100, 1]) {
    const folder = await makeFolder()
    const databaseUrl = await postgres.createDatabase()
    await withDatabase(databaseUrl, async () => {})
    await writeContent(folder, 'Antwort', decks)
    const first = await importOnce(databaseUrl, folder)
    await writeContent(folder, 'Lösung', decks)
    const changed = await importOnce(databaseUrl, folder)
    runs.push({ first: first.seconds, changed: changed.seconds })
  }
  const [many, one] = runs as [(typeof runs)[0], (typeof runs)[0]]
  const figures = (run: typeof one) => `first ${run.first.toFixed(1)} s, all changed ${run.changed.toFixed(1)} s`
  const slower = Math.max(one.first / many.first, one.changed / many.changed)

  const folder = await makeFolder()
  const databaseUrl = await postgres.createDatabase()
  await withDatabase(databaseUrl, async () => {})
  await writeContent(folder, 'Antwort', 1, GONE)
  await importOnce(databaseUrl, folder)
  await rm(path.join(folder, 'decks', 'deck-0.md'))
  await writeFile(path.join(folder, 'cheatsheets', 'rest.md'), '# Rest\n')
  const gone = await importOnce(databaseUrl, folder, '--force')
  return [
    {
      what: `the same ${CARDS} cards in one deck; beside them in 100 decks`,
      service: `${figures(one)}; ${figures(many)}`,
      ...below(2, slower, '×'),
    },
    { what: 'the same, one deck: all changed / first', ...below(1.5, one.changed / one.first, '×') },
    { what: `a deck of ${GONE} cards goes away`, ...below(5, gone.seconds, 's') },
  ]
}

/** Writes a content folder with `total` cards in decks of equal size. Every answer begins with `word`. */
export async function writeContent(folder: string, word: string, decks = DECKS, total = CARDS): Promise<void> {
  await mkdir(path.join(folder, 'decks'), { recursive: true })
  await mkdir(path.join(folder, 'cheatsheets'), { recursive: true })
  for (let deck = 0; deck < decks; deck++) {
    const cards = Array.from({ length: total / decks }, (_, index) =>
      [
        `## Was macht der Befehl Nummer ${deck}-${index}?`,
        `<!-- id: karte-${index}; level: grundlagen -->`,
        '### Antwort',
        `${word} ${deck}-${index}: **fett**, \`code\` und ${'ein Satz dazu. '.repeat(12)}`,
      ].join('\n'),
    )
    const front = `---\nname: Deck ${deck}\n---\n`
    await writeFile(path.join(folder, 'decks', `deck-${deck}.md`), `${front}${cards.join('\n\n')}\n`)
  }
}

interface Row {
  deck: number
  question: string
  answer: string
  level: string
  position: number
}

async function insertPlainly(databaseUrl: string, rows: Row[]): Promise<number> {
  return withDatabase(databaseUrl, async (db) => {
    await insertDecks().execute(db)
    const started = performance.now()
    await sql`
      insert into cards (deck_id, question, answer, level, sort_order)
      select * from unnest(
        ${rows.map((row) => row.deck)}::integer[], ${rows.map((row) => row.question)}::text[],
        ${rows.map((row) => row.answer)}::text[], ${rows.map((row) => row.level)}::text[],
        ${rows.map((row) => row.position)}::integer[]
      )`.execute(db)
    return (performance.now() - started) / 1000
  })
}

/** Returns the seconds of one INSERT per card, in one transaction and with disabled triggers. */
async function insertTheUsualWay(databaseUrl: string, rows: Row[]): Promise<number> {
  return withDatabase(databaseUrl, async (db) => {
    await insertDecks().execute(db)
    await sql`alter table cards disable trigger user`.execute(db)
    const started = performance.now()
    await db.transaction().execute(async (transaction) => {
      for (const { deck, question, answer, level, position } of rows) {
        const values = { deck_id: deck, question, answer, level, sort_order: position }
        await transaction.insertInto('cards').values(values).returning('id').execute()
      }
    })
    return (performance.now() - started) / 1000
  })
}

function insertDecks() {
  return sql`
    insert into decks (id, slug, name)
    select number, 'deck-' || number, 'Deck' from generate_series(1, ${DECKS}::integer) as number`
}

interface Imported {
  seconds: number
  /** Peak resident memory in MB */
  memory: number
  /** Number of rows written to all tables except the audit trail, the record of the last import and Kysely's tables */
  written: number
}

async function importOnce(databaseUrl: string, folder: string, ...options: string[]): Promise<Imported> {
  const before = await readWrites(databaseUrl)
  const { seconds, memory } = await runMeasured(`${ROOT}dist/src/cli.js`, ['import', ...options], {
    DATABASE_URL: databaseUrl,
    CONTENT_DIR: folder,
  })
  return { seconds, memory, written: (await readWrites(databaseUrl)) - before }
}

async function readWrites(databaseUrl: string): Promise<number> {
  return withDatabase(databaseUrl, async (db) => {
    // PostgreSQL publishes the statistics of a session when the session ends or within a second.
    await sql`select pg_sleep(1)`.execute(db)
    const { rows } = await sql<{ writes: string }>`
      select sum(n_tup_ins + n_tup_upd + n_tup_del) as writes from pg_stat_user_tables
      where relname not like 'kysely%' and relname not in ('audit_log', 'last_import')`.execute(db)
    return Number(rows[0]?.writes)
  })
}

async function measureReaders(databaseUrl: string, folder: string): Promise<Measure> {
  const admin = { ADMIN_USERNAME: 'admin', ADMIN_PASSWORD: PASSWORD }
  const service = await startService(databaseUrl, { ...admin, CONTENT_DIR: folder })
  const cookie = await openSession(service.url, { username: 'admin', password: PASSWORD })
  const others = { path: '/api/decks', cookies: [cookie], connections: 1, seconds: 4 }
  await load(service, others)
  const idle = await load(service, others)
  await writeContent(folder, 'Lösung')
  const started = performance.now()
  const importing = fetch(`${service.url}/api/admin/import`, { method: 'POST', headers: { cookie } })
  const during = await load(service, others)
  const response = await importing
  const { stats } = (await response.json()) as { stats?: { cards: { updated: number } } }
  const seconds = (performance.now() - started) / 1000
  if (stats?.cards.updated !== CARDS) throw new Error(`the import answered ${response.status}`)
  return {
    what: `GET /api/decks, one connection: idle, then during the first seconds of an import by request that changes all ${CARDS} cards`,
    service: `p50 ${idle.p50} ms, p99 ${idle.p99} ms; then p50 ${during.p50} ms, p99 ${during.p99} ms; the import took ${seconds.toFixed(1)} s`,
    target: 'readers are not blocked',
    reached: `${Math.round(during.rate)}/s instead of ${Math.round(idle.rate)}/s`,
    met: during.failures === 0 && during.rate > 0,
  }
}
