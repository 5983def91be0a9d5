import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { FaultyContent } from '../../../../src/domain/content/refusals.js'
import type { Incoming } from '../../../../src/domain/content/upload/incoming.js'
import { Refusal } from '../../../../src/domain/refusal.js'
import { statusOf } from '../../../../src/http/error-body.js'
import { readUpload } from '../../../../src/services/content/upload/read.js'
import { AnkiDatabase } from '../../../../src/services/content/upload/readers/anki-database.js'
import { readFile } from '../../../../src/services/content/upload/readers/read-file.js'
import { Zip } from '../../../../src/services/content/upload/readers/zip.js'
import { headOf } from '../../../support/picture-heads.js'
import { runs } from '../../../support/property.js'
import {
  declareEntries,
  declareSize,
  packageOf,
  protoNumber,
  schema11,
  type TestPackage,
  writeUpload,
  zipOf,
  zstdBomb,
  zstdFrame,
} from '../../../support/upload-packages.js'

type Tap = Parameters<typeof writeUpload>[0]

/** Reads an upload in a worker thread. Returns the message of the refusal or the number of cards. */
async function outcome(t: Tap, bytes: Uint8Array): Promise<string | number> {
  const { file, workFolder } = writeUpload(t, bytes)
  const options = { fileName: 'x', defaultDeck: 'x', workFolder, levels: [] }
  return outcomeOf(() => readUpload(file, options, { userId: null, timeoutMs: Number.POSITIVE_INFINITY }))
}

/** Reads an upload as `outcome` does, but in this thread, which is faster for many files. */
async function outcomeInThread(t: Tap, bytes: Uint8Array): Promise<string | number> {
  const { file, workFolder } = writeUpload(t, bytes)
  return outcomeOf(() => readFile(file, { fileName: 'x', defaultDeck: 'x', workFolder, levels: [] }))
}

async function outcomeOf(read: () => Promise<Incoming>): Promise<string | number> {
  try {
    const { decks } = await read()
    return decks.reduce((sum, { cards }) => sum + cards.length, 0)
  } catch (error) {
    if (error instanceof Refusal) return `${statusOf(error)} ${error.message}`
    throw error
  }
}

/** Creates an upload that is a named pipe: its reader waits until the pipe is opened for writing. */
function createPipe(t: Tap): ReturnType<typeof writeUpload> {
  const upload = writeUpload(t, '')
  rmSync(upload.file)
  execFileSync('mkfifo', [upload.file])
  return upload
}

const NOTE = { fields: ['a', 'b'] }
const damaged = (reason: string) => `400 Das Paket ist beschädigt: ${reason}`
const UNREADABLE = damaged('die Sammlung ist nicht lesbar')
const tooLarge = (limit: string) => `413 Datei zu groß: ${limit}`

t.test('files that are no packages', async (t) => {
  t.equal(await outcomeInThread(t, Buffer.alloc(100)), '400 Die Datei ist kein Anki-Paket')
  t.match(await outcomeInThread(t, await zipOf({ 'a.bin': 'a' })), /^400 Das Archiv \(\.zip\) enthält nichts/)
  t.match(await outcomeInThread(t, schema11({ notes: [NOTE] })), /^400 Das ist eine Datenbank/)
  t.equal(
    await outcomeInThread(t, await zipOf({ meta: protoNumber(1, 4) })),
    '400 Das Paket braucht eine neuere Version dieses Dienstes',
  )
  t.equal(await outcomeInThread(t, await zipOf({ meta: 'x' })), damaged('seine Version ist nicht lesbar'))
  t.equal(await outcomeInThread(t, await zipOf({ meta: '' })), damaged('seine Version ist nicht angegeben'))
  t.equal(await outcomeInThread(t, await zipOf({ meta: protoNumber(1, 3) })), damaged('die Sammlung fehlt'))
  t.equal(
    await outcomeInThread(t, await zipOf({ 'collection.anki2': 'x' })),
    damaged('die Sammlung ist keine Datenbank'),
  )
  t.equal(
    await outcomeInThread(t, await zipOf({ 'collection.anki2': schema11({}), media: '[' })),
    damaged('die Liste der Medien ist nicht lesbar'),
  )
})

t.test('a Git LFS pointer is no table', async (t) => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 123456\n`
  const { file, workFolder } = writeUpload(t, Buffer.from(pointer))
  const read = readFile(file, { fileName: 'git.apkg', defaultDeck: 'x', workFolder, levels: [] })
  t.match(await read.catch((error) => error.faults), [{ line: 1, message: /nur ein Verweis von Git LFS/ }])
})

t.test('refuses decompression bombs of the archive and of its Zstandard frame', async (t) => {
  const collection = schema11({})
  t.equal(
    await outcome(
      t,
      declareSize(await zipOf({ 'collection.anki2': collection }), 'collection.anki2', 256 * 2 ** 20 + 1),
    ),
    tooLarge('„collection.anki2“ ist entpackt größer als 256 MB'),
  )
  const zeros = Buffer.alloc(9 * 2 ** 20)
  t.equal(
    await outcomeInThread(t, await zipOf({ 'collection.anki2': collection, media: zeros })),
    tooLarge('„media“ ist entpackt größer als 8 MB'),
  )
  const latest = { meta: protoNumber(1, 3), 'collection.anki21b': zstdFrame(collection), media: zstdBomb(65) }
  t.equal(await outcome(t, await zipOf(latest)), tooLarge('„media“ ist entpackt größer als 8 MB'))
  t.equal(
    await outcomeInThread(t, declareEntries(await zipOf({ 'collection.anki2': collection }), 20_001)),
    tooLarge('mehr als 20.000 Dateien im Archiv'),
  )
})

t.test('entries that share their data are refused', async (t) => {
  const archive = await zipOf({ 'decks/a.md': 'x'.repeat(1_000), 'decks/b.md': 'y'.repeat(1_000) }, false)
  // Sets the offset of the second entry in the central directory to that of the first entry.
  const second = archive.indexOf('PK\x01\x02', archive.indexOf('PK\x01\x02') + 4)
  archive.writeUInt32LE(0, second + 42)
  t.equal(await outcomeInThread(t, archive), damaged('seine Einträge überlappen sich'))
})

t.test('limits the total unpacked size of an archive', async (t) => {
  const { file } = writeUpload(t, await zipOf({ a: Buffer.alloc(600), b: Buffer.alloc(600) }))
  const zip = await Zip.open(file, 1_000)
  t.teardown(() => zip.close())
  t.equal((await zip.readBytes('a', 600)).length, 600)
  await t.rejects(zip.readBytes('b', 600), { code: 'unpacked_too_large' })
})

t.test('a file is read while one of another user is being read', async (t) => {
  const read = (userId: number, { file, workFolder }: ReturnType<typeof writeUpload>) =>
    readUpload(
      file,
      { fileName: 'x', defaultDeck: 'x', workFolder, levels: [] },
      { userId, timeoutMs: Number.POSITIVE_INFINITY },
    )
  const slow = createPipe(t)
  const waiting = read(1, slow)
  t.match(await read(2, writeUpload(t, 'Frage;Antwort\na;b\n')), { decks: [{ cards: { length: 1 } }] })
  closeSync(openSync(slow.file, 'w'))
  await t.rejects(waiting, { code: 'ESPIPE' })
})

t.test('refuses a Zstandard frame that declares a window of terabytes', async (t) => {
  const frame = Buffer.from(zstdFrame(schema11({})))
  frame[5] = 0xff
  t.equal(
    await outcomeInThread(t, await zipOf({ meta: protoNumber(1, 3), 'collection.anki21b': frame })),
    damaged('die Komprimierung ist nicht lesbar'),
  )
})

t.test('refuses malicious databases and leaves out huge fields', async (t) => {
  const spoilt = async (sql: string, notes: TestPackage['notes'] = [NOTE]) =>
    outcomeInThread(t, await packageOf('legacy1', { notes, sql }))
  const endless =
    'with recursive n(i) as (select 1 union all select i + 1 from n) select i as id, i as guid, 1 as mid, i as tags, i as flds from n'
  t.equal(await spoilt(`drop table notes; create view notes as ${endless}`), damaged('die Tabelle „notes“ fehlt'))
  t.equal(await spoilt('drop table cards'), damaged('die Tabelle „cards“ fehlt'))
  t.equal(
    await spoilt('alter table notes add column x text as (zeroblob(1000000000))'),
    damaged('die Tabelle „notes“ ist fremd'),
  )
  t.equal(await spoilt(`update col set models = '{'`), damaged('die Notiztypen und Decks sind nicht lesbar'))
  t.equal(await spoilt('delete from col'), damaged('die Notiztypen und Decks sind nicht lesbar'))
  t.equal(await spoilt('alter table cards rename column odid to x'), UNREADABLE)
  t.equal(await spoilt(`update notes set flds = zeroblob(17000000)`), 0, 'a field of 17 MB is left out')
  const many = `with recursive n(i) as (select 1 union all select i + 1 from n where i <= 100000)
    insert into cards select i, 1, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '' from n`
  t.equal(await spoilt(many, []), tooLarge('mehr als 100.000 Karten'))
})

t.test('a long note with many cards is in memory once', async (t) => {
  const cards = Array.from({ length: 150 }, (_, ord) => ({ ord }))
  const path = `${writeUpload(t, '').workFolder}/collection.db`
  writeFileSync(path, schema11({ notes: [{ fields: ['x'.repeat(2 ** 20 - 1), 'b'], cards }] }))
  const database = new AnkiDatabase({ path, format: 'legacy1', media: new Map() })
  t.teardown(() => database.close())
  const before = process.memoryUsage().rss
  const rows = database.readCards()
  t.match(rows.next().value, { ord: 0, guid: 'guid-0' })
  const megabytes = (process.memoryUsage().rss - before) / 2 ** 20
  t.ok(megabytes < 100, `${Math.round(megabytes)} MB`)
  t.same(
    [...rows].map(({ ord }) => ord),
    cards.slice(1).map(({ ord }) => ord),
  )
})

t.test('reads malicious texts within the limits of memory', async (t) => {
  // Reads the package in a worker thread, with the memory limit of an import.
  const read = async (...texts: string[]) =>
    outcome(t, await packageOf('legacy1', { notes: texts.map((text) => ({ fields: [`x${text}`, 'b'] })) }))
  const pieces = ['<b>', '</i><b>', '<table><td>', '<ul><li>', '[sound:', '{{c1::', '&lt', '<!--', '![', '*a_']
  const megabytes = [...pieces, '<a href="https://a">'].map((piece) => piece.repeat(2 ** 20 / piece.length))
  t.type(await read(...megabytes), 'number')
  t.equal(await read('<b>'.repeat(4_000_000)), 0, '12 MB of <b>')
})

/** Runs `sql` on a package and reads the package. Returns the content or the faults, and the length of their JSON. */
async function readResult(t: Tap, content: TestPackage, sql: string) {
  const { file, workFolder } = writeUpload(t, await packageOf('legacy1', { ...content, sql }))
  const incoming = await readFile(file, { fileName: 'x', defaultDeck: 'x', workFolder, levels: [] }).catch((error) => {
    if (error instanceof FaultyContent) return { faults: error.faults }
    throw error
  })
  return { length: JSON.stringify(incoming).length, incoming }
}

t.test('cuts malicious names before reporting them', async (t) => {
  // The note has many cards, because a message about its guid may be reported for each card.
  const notes = [{ ...NOTE, cards: Array.from({ length: 50 }, (_, ord) => ({ ord })) }]
  const long = `replace(hex(zeroblob(${2 ** 19})), '0', 'x')`
  for (const sql of [
    `update notes set guid = ${long} || id`,
    `update notes set guid = ${long} || id, flds = 'one'`,
    `update notes set guid = cast(${long} as blob), mid = 7`,
    `update notes set tags = ' ' || ${long}`,
  ]) {
    const { length } = await readResult(t, { notes }, sql)
    t.ok(length < 50_000, `${sql}: ${length}`)
  }
})

t.test('skips a note whose guid cannot be stored', async (t) => {
  const guids = ['', 'x'.repeat(1_000), 'x'.repeat(1_001), 'ä'.repeat(501)]
  const { incoming } = await readResult(t, { notes: guids.map((guid) => ({ ...NOTE, guid })) }, '')
  const reason =
    /^3 Karten werden nicht übernommen: die Kennung ihrer Notiz \(guid\) fehlt oder ist länger als 1000 Bytes/
  t.match(incoming, {
    decks: [{ cards: [{ identity: { guid: 'x'.repeat(1_000) } }] }],
    warnings: [{ message: reason }],
    warningsTotal: 1,
  })
})

t.test('cuts levels and deck names at 200 characters', async (t) => {
  const name = `${'😀'.repeat(150)}::${'x'.repeat(2 ** 20)}`
  const notes = [{ ...NOTE, tags: ` ${'ä'.repeat(2 ** 20)} b ` }]
  const { incoming } = await readResult(t, { notes, decks: { 10: { name } } }, '')
  const [deck] = 'decks' in incoming ? incoming.decks : []
  t.same([deck?.name, deck?.cards[0]?.level], [`${'😀'.repeat(150)}::${'x'.repeat(48)}`, 'ä'.repeat(200)])
})

t.test('ends work that takes too long', async (t) => {
  const { file, workFolder } = createPipe(t)
  const options = { fileName: 'x', defaultDeck: 'x', workFolder, levels: [] }
  const reading = outcomeOf(() => readUpload(file, options, { userId: null, timeoutMs: 1 }))
  // Runs after the earlier timer of the limit. The thread can only end when its wait for the pipe ends.
  await sleep(100)
  closeSync(openSync(file, 'r+'))
  t.equal(await reading, '400 Die Datei ließ sich nicht in der erlaubten Zeit lesen')
})

t.test('a picture of too many pixels is left out of a package and refused in an archive', async (t) => {
  const huge = headOf('png', 100_000, 100_000)
  const reason = 'hat 100.000 × 100.000 Pixel; erlaubt sind 12.000 je Seite und 40 Millionen insgesamt'
  const read = (bytes: Uint8Array) => {
    const { file, workFolder } = writeUpload(t, bytes)
    return readFile(file, { fileName: 'x', defaultDeck: 'x', workFolder, levels: [] })
  }
  const notes = [{ fields: ['Was? <img src="x.png">', 'b'] }]
  const { pictures, warnings } = await read(await packageOf('legacy1', { notes }, { 'x.png': huge }))
  t.same(pictures, [])
  t.match(JSON.stringify(warnings), reason)
  const deck = '---\nname: A\n---\n## Was? ![x](../x.png)\n<!-- id: a; level: b -->\n\n### Antwort\nDas.\n'
  const archive = await zipOf({ 'decks/a.md': deck, 'x.png': huge })
  t.match(await read(archive).catch((error) => error.faults), [
    { file: 'decks/a.md', line: 4, message: `Das Bild „../x.png“ ${reason}` },
  ])
})

t.test('entry names are no paths', async (t) => {
  const { file, workFolder } = writeUpload(
    t,
    await packageOf(
      'legacy1',
      { notes: [{ fields: ['<img src="../../x.gif">', 'b'] }] },
      { '../../x.gif': Buffer.from('GIF89a') },
    ),
  )
  const { pictures } = await readFile(file, { fileName: 'x', defaultDeck: 'x', workFolder, levels: [] })
  t.same(readdirSync(workFolder).sort(), ['collection.db', 'upload', `${pictures[0]?.sha}.gif`].sort())
  t.notOk(existsSync(`${workFolder}/../../x.gif`))
})

/** Numbers of damaged files that are read; the soak reads five times as many */
const CUTS = runs(16)
const FLIPS = runs(40)
const DATABASE_FLIPS = runs(60)

/** Returns text that can hardly be compressed. */
const noise = (seed: number) => hash('sha512', `${seed}`, 'base64') + hash('sha512', `${seed}b`, 'base64')

t.test('refuses a truncated package', async (t) => {
  const notes = Array.from({ length: 1_300 }, (_, index) => ({ fields: [noise(index), noise(-index)] }))
  for (const format of ['legacy1', 'latest'] as const) {
    const whole = await packageOf(format, { notes })
    t.ok(whole.length > 200_000, `${whole.length} bytes`)
    const results = new Set<string | number>()
    for (let part = 1; part < CUTS; part++)
      results.add(await outcomeInThread(t, whole.subarray(0, Math.floor((whole.length * part) / CUTS))))
    results.add(await outcomeInThread(t, whole.subarray(0, -1)))
    t.same([...results], [damaged('das Verzeichnis des Archivs fehlt')], format)
  }
})

/** Returns the distance of `count` flipped bits, in bytes; odd, so that each bit of a byte is among them. */
const oddStep = (whole: Buffer, count: number) => Math.ceil(whole.length / count) | 1

t.test('detects a flipped bit, or it does not matter', async (t) => {
  for (const format of ['legacy1', 'latest'] as const) {
    const whole = await packageOf(format, { notes: [NOTE, NOTE, NOTE] })
    for (let at = 0; at < whole.length; at += oddStep(whole, FLIPS)) {
      const flipped = Buffer.from(whole)
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8))
      const result = await outcomeInThread(t, flipped)
      if (typeof result === 'string' && !/^4(00|13) /.test(result)) t.fail(`${format}, byte ${at}: ${result}`)
    }
    t.pass(format)
  }
})

t.test('handles databases with flipped bits in an intact package', async (t) => {
  const whole = schema11({ notes: Array.from({ length: 30 }, (_, index) => ({ fields: [`${index}`, 'b'] })) })
  const results = new Map<string, number>()
  for (let at = 0; at < whole.length; at += oddStep(whole, DATABASE_FLIPS)) {
    const flipped = Buffer.from(whole)
    flipped[at] = (flipped[at] as number) ^ (1 << (at % 8))
    const result = String(await outcomeInThread(t, await zipOf({ 'collection.anki2': flipped })))
    const kind = result
      .replace(/: .*/, '')
      .replace(/^\d+$/, 'cards')
      .replace(/\d+ Fehler/, 'Fehler')
    results.set(kind, (results.get(kind) ?? 0) + 1)
  }
  t.ok(
    [...results.keys()].every((kind) => kind === 'cards' || /^4(00|13) /.test(kind)),
    JSON.stringify([...results]),
  )
})
