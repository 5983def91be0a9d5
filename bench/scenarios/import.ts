import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { readContent } from '../../src/content/read-content.js'
import { type Postgres, withDatabase } from '../postgres.js'
import { ROOT, runMeasured } from '../processes.js'
import { atLeast, below, type Measure } from '../report.js'

const DECKS = 50
const CARDS = 100_000

/** The first import and an unchanged one, beside one plain INSERT of the same rows. */
export async function measureImport(postgres: Postgres): Promise<Measure[]> {
  const folder = await writeContent()
  const started = performance.now()
  const { content, faults } = await readContent(folder)
  if (faults.length > 0) throw new Error(JSON.stringify(faults[0]))
  const parsing = (performance.now() - started) / 1000
  const rows = content.decks.flatMap((deck, index) =>
    deck.cards.map((card, position) => ({ ...card, deck: index + 1, position })),
  )

  const plain: number[] = []
  const bare: number[] = []
  const first: Imported[] = []
  let again: Imported | undefined
  for (let round = 0; round < 3; round++) {
    const insertUrl = await postgres.createDatabase()
    plain.push(await insertPlainly(insertUrl, rows, false))
    bare.push(await insertPlainly(insertUrl, rows, true))
    const databaseUrl = await postgres.createDatabase()
    await withDatabase(databaseUrl, async () => {})
    first.push(await importOnce(databaseUrl, folder))
    again = await importOnce(databaseUrl, folder)
  }
  await rm(folder, { recursive: true })
  const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number
  const whole = median(first.map(({ seconds }) => seconds))
  const writing = whole - parsing
  return [
    {
      what: `first import of ${CARDS} cards`,
      value: `${whole.toFixed(1)} s, of which parsing ${parsing.toFixed(1)} s`,
    },
    { what: 'one INSERT … SELECT unnest into the same table', value: `${median(plain).toFixed(2)} s` },
    { what: 'the same into a table without triggers', value: `${median(bare).toFixed(2)} s` },
    atLeast('import without parsing / INSERT', median(plain) / writing, 0.3),
    { what: 'import without parsing / INSERT without triggers', value: (median(bare) / writing).toFixed(2) },
    below('unchanged import', again?.seconds ?? Number.NaN, 5, 's'),
    {
      what: 'rows written by the unchanged import',
      value: String(again?.written),
      target: '0',
      met: again?.written === 0,
    },
    below('memory, highest', Math.max(...first.map(({ memory }) => memory)), 512, 'MB'),
  ]
}

async function writeContent(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-bench-'))
  await mkdir(path.join(folder, 'decks'))
  await mkdir(path.join(folder, 'cheatsheets'))
  for (let deck = 0; deck < DECKS; deck++) {
    const cards = Array.from({ length: CARDS / DECKS }, (_, index) =>
      [
        `## Was macht der Befehl Nummer ${deck}-${index}?`,
        `<!-- id: karte-${index}; level: grundlagen -->`,
        '### Antwort',
        `Antwort ${deck}-${index}: **fett**, \`code\` und ${'ein Satz dazu. '.repeat(12)}`,
      ].join('\n'),
    )
    await writeFile(
      path.join(folder, 'decks', `deck-${deck}.md`),
      `---\nname: Deck ${deck}\n---\n${cards.join('\n\n')}\n`,
    )
  }
  return folder
}

interface Row {
  deck: number
  question: string
  answer: string
  level: string
  position: number
}

/** Seconds of the statement. */
async function insertPlainly(databaseUrl: string, rows: Row[], withoutTriggers: boolean): Promise<number> {
  return withDatabase(databaseUrl, async (db) => {
    if (withoutTriggers) await sql`truncate decks cascade`.execute(db)
    await sql`
      insert into decks (id, slug, name)
      select number, 'deck-' || number, 'Deck' from generate_series(1, ${DECKS}::integer) as number`.execute(db)
    if (withoutTriggers) await sql`alter table cards disable trigger all`.execute(db)
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

interface Imported {
  seconds: number
  /** Highest resident memory in MB. */
  memory: number
  /** Rows inserted, updated or deleted in any table. */
  written: number
}

/** Runs the import of the command line in a process of its own. */
async function importOnce(databaseUrl: string, folder: string): Promise<Imported> {
  const before = await readWrites(databaseUrl)
  const { seconds, memory } = await runMeasured(`${ROOT}dist/src/cli.js`, ['import'], {
    DATABASE_URL: databaseUrl,
    CONTENT_DIR: folder,
  })
  return { seconds, memory, written: (await readWrites(databaseUrl)) - before }
}

async function readWrites(databaseUrl: string): Promise<number> {
  return withDatabase(databaseUrl, async (db) => {
    await sql`select pg_sleep(1)`.execute(db)
    const { rows } = await sql<{ writes: number }>`
      select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint as writes from pg_stat_user_tables
      where relname not like 'kysely%'`.execute(db)
    return rows[0]?.writes ?? 0
  })
}
