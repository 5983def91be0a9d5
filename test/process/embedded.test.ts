import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import t from 'tap'
import { createFramer } from '../../db/embedded/framing.js'
import { type EmbeddedStore, EmbeddedStoreInUseError, openEmbeddedStore } from '../../db/embedded/index.js'
import { createMaintenance } from '../../db/embedded/maintenance.js'
import { isDatabaseUnavailable } from '../../db/errors.js'
import { anyCharacter } from '../support/arbitraries.js'
import { PROGRAM_OPTIONS } from '../support/process.js'
import fc from '../support/property.js'
import { SCRATCH } from '../support/scratch.js'
import { copyStore, openTemporaryStore } from '../support/temporary-store.js'

// Uses `require`, because tap's loaders do not always find the named exports of this CommonJS package.
const { serialize } = createRequire(import.meta.url)('pg-protocol') as typeof import('pg-protocol')

const scratch = mkdtempSync(join(SCRATCH, 'svc-training-embedded-'))
const template = join(scratch, 'Vorlage für Größe & Co.', 'unter'.repeat(20))
t.teardown(() => rm(scratch, { recursive: true, force: true }))

function createPool(store: EmbeddedStore, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ max: 1, stream: store.connect, user: 'postgres', database: 'postgres', ...options })
  pool.on('error', () => {})
  return pool
}

/** Starts a process that opens the store in `dataDir` and runs `code` with `store`, `pool` and `pg`. */
function startProcess(
  dataDir: string,
  code: string,
  options: string[] = [],
): ChildProcess & { lines: AsyncIterator<string> } {
  const module = new URL('../../db/embedded/index.js', import.meta.url).href
  const script = `
    import pg from 'pg'
    import { openEmbeddedStore } from ${JSON.stringify(module)}
    const store = await openEmbeddedStore(${JSON.stringify(dataDir)})
    const pool = new pg.Pool({ max: 1, stream: store.connect, user: 'postgres', database: 'postgres' })
    ${code}`
  const child = spawn(process.execPath, [...PROGRAM_OPTIONS, ...options, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return Object.assign(child, { lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() })
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function copyTemplate(name: string): Promise<string> {
  const dataDir = join(scratch, name)
  await copyStore(template, dataDir)
  return dataDir
}

/** Module that kills the program when it has copied a part of the empty database */
const KILL_DURING_COPY = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs/promises'
  import { syncBuiltinESMExports } from 'node:module'
  const { cp } = fs
  fs.cp = async (from, to, options) => {
    await cp(from + '/base', to + '/base', options)
    process.kill(process.pid, 'SIGKILL')
  }
  syncBuiltinESMExports()`)}`

t.test('repeats an interrupted creation, in any folder', async (t) => {
  const child = startProcess(template, '', [`--import=${KILL_DURING_COPY}`])
  t.same(await once(child, 'exit'), [null, 'SIGKILL'])
  t.ok(await stat(join(template, 'pglite.new', 'base')))
  t.equal(await stat(join(template, 'pglite')).catch(() => 'missing'), 'missing')

  const store = await openEmbeddedStore(template)
  const pool = createPool(store)
  await pool.query('CREATE EXTENSION pg_trgm')
  await pool.query('CREATE TABLE words (word text NOT NULL)')
  await pool.query("INSERT INTO words VALUES ('Öl')")
  t.same((await pool.query("SELECT word FROM words WHERE word ILIKE '%öL%'")).rows, [{ word: 'Öl' }])
  await pool.end()
  await store.close()
  await store.close()

  const { mode } = await stat(join(template, 'pglite'))
  t.equal(mode & 0o777, 0o700)
  t.same((await readdir(template)).sort(), ['pglite', 'pglite.lock'])
})

t.test('keeps written data after reopening', async (t) => {
  const store = await openEmbeddedStore(template)
  const pool = createPool(store)
  t.same((await pool.query('SELECT word FROM words')).rows, [{ word: 'Öl' }])
  t.equal((await pool.query('SHOW fsync')).rows[0].fsync, 'on')
  await pool.end()
  await store.close()
})

t.test('refuses a folder in use and releases it after SIGKILL', async (t) => {
  const dataDir = await copyTemplate('locked')
  const child = startProcess(dataDir, "console.log('open'); setInterval(() => {}, 1000)")
  t.equal((await child.lines.next()).value, 'open')
  await t.rejects(openEmbeddedStore(dataDir), {
    name: 'EmbeddedStoreInUseError',
    message: /schon von einem laufenden Prozess benutzt/,
  })
  await kill(child)

  const store = await openEmbeddedStore(dataDir)
  await t.rejects(openEmbeddedStore(dataDir), EmbeddedStoreInUseError)
  const pool = createPool(store)
  t.same((await pool.query('SELECT word FROM words')).rows, [{ word: 'Öl' }])
  await pool.end()
  await store.close()
})

t.test('keeps every acknowledged row after SIGKILL', async (t) => {
  const dataDir = await copyTemplate('killed')
  const acknowledged = new Set<string>()
  for (const round of [1, 2, 3]) {
    const child = startProcess(
      dataDir,
      `for (let i = 0; ; i++) {
        await pool.query({ name: 'add', text: 'INSERT INTO words VALUES ($1)', values: ['${round}-' + i] })
        console.log('${round}-' + i)
      }`,
    )
    const wanted = acknowledged.size + 100 * round
    while (acknowledged.size < wanted) acknowledged.add((await child.lines.next()).value)
    await kill(child)
  }
  const store = await openEmbeddedStore(dataDir)
  const pool = createPool(store)
  const found = new Set((await pool.query('SELECT word FROM words')).rows.map(({ word }) => word))
  t.same(
    [...acknowledged].filter((word) => !found.has(word)),
    [],
  )
  await pool.end()
  await store.close()
})

t.test('refuses folders without a usable database', async (t) => {
  const older = await copyTemplate('older')
  await writeFile(join(older, 'pglite', 'PG_VERSION'), '17\n')
  await t.rejects(openEmbeddedStore(older), {
    name: 'EmbeddedStoreError',
    message: /PostgreSQL 17.*früheren Programmversion/,
  })
  t.equal(await readFile(join(older, 'pglite', 'PG_VERSION'), 'utf8'), '17\n')

  const foreign = join(scratch, 'foreign')
  await mkdir(join(foreign, 'pglite'), { recursive: true })
  await writeFile(join(foreign, 'pglite', 'notes.txt'), 'mine')
  await t.rejects(openEmbeddedStore(foreign), { name: 'EmbeddedStoreError', message: /keine Datenbank/ })

  const file = join(scratch, 'file')
  await writeFile(file, '')
  await t.rejects(openEmbeddedStore(file), { name: 'EmbeddedStoreError', message: /lässt sich nicht öffnen/ })

  const damaged = await copyTemplate('damaged')
  await rm(join(damaged, 'pglite', 'global'), { recursive: true })
  await t.rejects(openEmbeddedStore(damaged), {
    name: 'EmbeddedStoreError',
    message: /^[^\n]*lässt sich nicht öffnen[^\n]*$/,
  })
})

t.test('connections', async (t) => {
  const store = await openTemporaryStore(template)
  t.teardown(() => store.close())

  t.test('starts a new connection with a clean session', async (t) => {
    const pool = createPool(store)
    const client = await pool.connect()
    await client.query({ name: 'same', text: 'SELECT 1 AS old' })
    await client.query("SET TIME ZONE 'Asia/Tokyo'")
    await client.query('BEGIN')
    await client.query('CREATE TABLE lost (id int)')
    await t.rejects(client.query('SELECT 1 / 0'), { code: '22012' })
    client.release(true)

    t.same((await pool.query({ name: 'same', text: 'SELECT 2 AS new' })).rows, [{ new: 2 }])
    t.equal((await pool.query('SHOW TIME ZONE')).rows[0].TimeZone, 'UTC')
    await t.rejects(pool.query('SELECT * FROM lost'), { code: '42P01' })
    await pool.end()
  })

  t.test('lets a second connection wait for the first', async (t) => {
    const [first, second] = [createPool(store), createPool(store)]
    const impatient = createPool(store, { connectionTimeoutMillis: 200 })
    const client = await first.connect()
    await t.rejects(impatient.query('SELECT 1'), /timeout/)
    client.release()
    await first.end()
    t.same((await second.query('SELECT 1 AS one')).rows, [{ one: 1 }])
    await impatient.end()
    await second.end()
  })

  t.test('cleans up after a connection destroyed during a query', async (t) => {
    const pool = createPool(store)
    const client = await pool.connect()
    client.on('error', () => {})
    const query = client.query("INSERT INTO words SELECT 'half' FROM generate_series(1, 300000), pg_sleep(0)")
    await sleep(20)
    client.release(true)
    await query.catch(() => {})
    t.same((await pool.query('SELECT 1 AS one')).rows, [{ one: 1 }])
    await pool.end()
  })

  t.test('accepts messages byte by byte and declines encryption', async (t) => {
    const duplex = store.connect() as ReturnType<EmbeddedStore['connect']> & { connect(): void }
    const output: Buffer[] = []
    duplex.on('data', (bytes: Buffer) => output.push(bytes))
    duplex.connect()
    await once(duplex, 'connect')
    const bytes = Buffer.concat([
      serialize.requestSsl(),
      serialize.startup({ user: 'postgres', database: 'postgres' }),
      serialize.query("SELECT 'gestückelt'"),
      serialize.end(),
    ])
    for (const byte of bytes) duplex.write(Buffer.from([byte]))
    await once(duplex, 'end')
    duplex.end()
    await once(duplex, 'close')
    const text = Buffer.concat(output).toString()
    t.equal(text[0], 'N')
    t.match(text, 'gestückelt')
  })

  t.test('transfers large values in both directions', async (t) => {
    const pool = createPool(store)
    const text = 'ü'.repeat(5_000_000)
    const { rows } = await pool.query('SELECT $1::text AS same', [text])
    t.ok(rows[0].same === text)
    await pool.end()
  })

  t.test('keeps the event loop free during a long query', async (t) => {
    const pool = createPool(store)
    await pool.query('SELECT 1')
    let turns = 0
    let isAnswered = false
    const count = () => {
      turns++
      if (!isAnswered) setImmediate(count)
    }
    count()
    await pool.query('SELECT count(*) FROM generate_series(1, 2000000)')
    isAnswered = true
    t.ok(turns >= 10, `${turns} turns`)
    await pool.end()
  })

  t.test('restarts a database that died with the next connection', async (t) => {
    const pool = createPool(store)
    await pool.query("INSERT INTO words VALUES ('kept')")
    // COPY FROM STDIN crashes PGlite 0.5.
    const error = await pool.query('COPY words FROM STDIN').catch((reason) => reason)
    t.match(error, { message: /embedded database ended/ })
    t.ok(isDatabaseUnavailable(error), String(error))
    t.equal((await pool.query("SELECT count(*)::int AS n FROM words WHERE word = 'kept'")).rows[0].n, 1)
    await pool.end()
  })
})

t.test('a closed store refuses connections and breaks the open one', async (t) => {
  const store = await openTemporaryStore(template)
  const pool = createPool(store)
  await pool.query('SELECT 1')
  await store.close()
  const error = await pool.query('SELECT 1').catch((reason) => reason)
  t.ok(isDatabaseUnavailable(error), String(error))
  await pool.end()
  await t.rejects(stat(store.dataDir), { code: 'ENOENT' })
})

t.test('maintenance writes checkpoints and collects statistics', async (t) => {
  const pglite = await PGlite.create(join(await copyTemplate('maintained'), 'pglite'))
  t.teardown(() => pglite.close())
  const maintenance = createMaintenance(pglite)
  const measureLog = async () => {
    const { rows } = await pglite.query<{ written: number }>(
      'SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), (pg_control_checkpoint()).redo_lsn)::int AS written',
    )
    return rows[0]?.written ?? Number.NaN
  }

  await pglite.exec("INSERT INTO words SELECT repeat('x', 1900) FROM generate_series(1, 40000)")
  const written = await measureLog()
  t.ok(written > 70_000_000, `${written} bytes`)
  await maintenance.tick(false)
  t.equal(await measureLog(), written, 'nothing is done inside a transaction')
  await maintenance.afterRequest(true)
  t.ok((await measureLog()) < 1_000_000)
  await pglite.exec('SELECT pg_stat_force_next_flush()')
  for (let tick = 0; tick < 6; tick++) await maintenance.tick(true)
  const { rows } = await pglite.query("SELECT reltuples::int AS n FROM pg_class WHERE relname = 'words'")
  t.same(rows, [{ n: 40001 }])
})

t.test('the framer returns whole messages, however the bytes are split', async (t) => {
  const startup = serialize.startup({ user: 'postgres' })
  const queries = fc.array(fc.string({ unit: anyCharacter, maxLength: 300 }), { maxLength: 8 })
  fc.assert(
    fc.property(queries, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (texts, sizes) => {
      const messages = texts.map((text) => serialize.query(text.replaceAll('\0', '')))
      const sent = Buffer.concat([startup, ...messages, serialize.end()])
      const ends = new Set<number>()
      let end = 0
      for (const message of [startup, ...messages]) {
        end += message.length
        ends.add(end)
      }

      const frame = createFramer()
      const passed: Uint8Array[] = []
      let total = 0
      let ended = false
      for (let offset = 0, i = 0; offset < sent.length; i++) {
        const size = sizes[i % sizes.length] ?? 1
        for (const input of frame([sent.subarray(offset, offset + size)])) {
          if (input.kind === 'end') ended = true
          if (input.kind !== 'messages') continue
          passed.push(input.bytes)
          total += input.bytes.length
          if (!ends.has(total)) throw new Error(`cut inside a message at ${total}`)
        }
        offset += size
      }
      return ended && Buffer.concat(passed).equals(sent.subarray(0, end))
    }),
  )
  t.throws(() => createFramer()([Buffer.alloc(8)]), /invalid length/)
})
