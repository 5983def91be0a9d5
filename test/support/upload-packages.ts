import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Database as Sqlite } from 'node-sqlite3-wasm'
import { ZipFile } from 'yazl'
import { SCRATCH } from './scratch.js'

const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as { Database: typeof Sqlite }

export async function zipOf(entries: Record<string, string | Uint8Array>, compress = true): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), name, { compress })
  zip.end()
  return buffer(zip.outputStream)
}

/** Returns the archive with another declared size of an entry; the content stays as it is. */
export function declareSize(archive: Buffer, name: string, bytes: number): Buffer {
  const copy = Buffer.from(archive)
  // The directory follows the entries. The size is 22 bytes before the name.
  copy.writeUInt32LE(bytes, copy.lastIndexOf(name) - 22)
  return copy
}

/** Returns the archive with another declared number of entries. */
export function declareEntries(archive: Buffer, count: number): Buffer {
  const copy = Buffer.from(archive)
  const end = copy.lastIndexOf('PK\x05\x06')
  copy.writeUInt16LE(count, end + 8)
  copy.writeUInt16LE(count, end + 10)
  return copy
}

export function protoNumber(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)])
}

export function protoBytes(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0))
    if (rest < 128) return Buffer.from(bytes)
  }
}

const MAX_BLOCK = 2 ** 17

/** Returns an uncompressed Zstandard frame (RFC 8878): raw blocks with a window of 1 MiB. */
export function zstdFrame(bytes: Uint8Array): Buffer {
  const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50])]
  for (let at = 0; at === 0 || at < bytes.length; at += MAX_BLOCK) {
    const block = bytes.subarray(at, at + MAX_BLOCK)
    const header = block.length * 8 + (at + MAX_BLOCK >= bytes.length ? 1 : 0)
    parts.push(Buffer.from([header & 0xff, (header >> 8) & 0xff, header >> 16]), Buffer.from(block))
  }
  return Buffer.concat(parts)
}

/** Returns a Zstandard frame whose blocks of four bytes each expand to 128 KiB. */
export function zstdBomb(blocks: number): Buffer {
  const block = (isLast: boolean) => {
    const header = MAX_BLOCK * 8 + 2 + (isLast ? 1 : 0)
    return Buffer.from([header & 0xff, (header >> 8) & 0xff, header >> 16, 0x53])
  }
  const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50])]
  for (let at = 0; at < blocks; at++) parts.push(block(at === blocks - 1))
  return Buffer.concat(parts)
}

interface TestNote {
  guid?: string
  fields: string[]
  tags?: string
  cards?: { ord?: number; did?: number; odid?: number; type?: number; queue?: number }[]
  mid?: number
}

export interface TestPackage {
  notes?: TestNote[]
  models?: Record<string, unknown>
  decks?: Record<string, unknown>
  /** SQL that runs last, to corrupt the database */
  sql?: string
}

const BASIC = {
  name: 'Basis',
  type: 0,
  flds: [
    { name: 'Front', ord: 0 },
    { name: 'Back', ord: 1 },
  ],
  tmpls: [{ name: 'Karte 1', ord: 0, qfmt: '{{Front}}', afmt: '{{FrontSide}}<hr id=answer>{{Back}}' }],
  css: '.card { color: black; }\n.zu { display: none }',
}
const CLOZE = {
  name: 'Lückentext',
  type: 1,
  flds: [
    { name: 'Text', ord: 0 },
    { name: 'Extra', ord: 1 },
  ],
  tmpls: [{ name: 'Lücke', ord: 0, qfmt: '{{cloze:Text}}', afmt: '{{cloze:Text}}<br>{{Extra}}' }],
  css: '',
}
const BASIC_ID = 1
export const CLOZE_ID = 2
const DECKS = { 1: { name: 'Default' }, 10: { name: 'Linux::Netz' }, 20: { name: 'Wiederholen', dyn: 1 } }
const TABLES = `
  create table notes (id integer primary key, guid text not null, mid integer not null, mod integer not null, usn integer not null,
    tags text not null, flds text not null, sfld integer not null, csum integer not null, flags integer not null, data text not null);
  create table cards (id integer primary key, nid integer not null, did integer not null, ord integer not null, mod integer not null,
    usn integer not null, type integer not null, queue integer not null, due integer not null, ivl integer not null, factor integer not null,
    reps integer not null, lapses integer not null, left integer not null, odue integer not null, odid integer not null, flags integer not null, data text not null);`

function makeDatabase(fill: (db: Sqlite) => void): Buffer {
  const folder = mkdtempSync(path.join(SCRATCH, 'svc-training-package-'))
  try {
    const file = path.join(folder, 'collection.db')
    const db = new Database(file)
    try {
      db.exec('begin')
      fill(db)
      db.exec('commit')
    } finally {
      db.close()
    }
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function addNotes(db: Sqlite, notes: readonly TestNote[]): void {
  const note = db.prepare(`insert into notes values (?, ?, ?, 0, 0, ?, ?, '', 0, 0, '')`)
  const card = db.prepare(`insert into cards values (?, ?, ?, ?, 0, 0, ?, ?, 0, 0, 0, 0, 0, 0, 0, ?, 0, '')`)
  let id = 1_700_000_000_000
  for (const [index, { guid, fields, tags = '', cards = [{}], mid = BASIC_ID }] of notes.entries()) {
    const nid = id++
    note.run([nid, guid ?? `guid-${index}`, mid, tags, fields.join('\x1f')])
    for (const { ord = 0, did = 10, odid = 0, type = 0, queue = 0 } of cards)
      card.run([id++, nid, did, ord, type, queue, odid])
  }
  note.finalize()
  card.finalize()
}

/** Returns the collection database of the legacy formats. */
export function schema11({ notes = [], models = {}, decks = {}, sql = '' }: TestPackage): Buffer {
  return makeDatabase((db) => {
    db.exec(`${TABLES} create table col (id integer primary key, ver integer, models text, decks text);`)
    db.run('insert into col values (1, 11, ?, ?)', [
      JSON.stringify({ [BASIC_ID]: BASIC, [CLOZE_ID]: CLOZE, ...models }),
      JSON.stringify({ ...DECKS, ...decks }),
    ])
    addNotes(db, notes)
    db.exec(sql)
  })
}

/** Returns the collection database of the latest format, in WAL mode and with Anki's collation, as Anki writes it. */
function schema18({ notes = [], sql = '' }: TestPackage): Buffer {
  const bytes = makeDatabase((db) => {
    db.exec(`${TABLES} create table col (id integer primary key, ver integer, models text, decks text);
      insert into col values (1, 18, '', '');
      create table notetypes (id integer primary key, name text not null collate nocase , mtime integer, usn integer, config blob);
      create unique index idx_notetypes_name on notetypes (name);
      create table fields (ntid integer not null, ord integer not null, name text not null collate nocase , config blob, primary key (ntid, ord)) without rowid;
      create unique index idx_fields_name_ntid on fields (name, ntid);
      create table templates (ntid integer not null, ord integer not null, name text not null collate nocase , mtime integer, usn integer, config blob, primary key (ntid, ord)) without rowid;
      create unique index idx_templates_name_ntid on templates (name, ntid);
      create table decks (id integer primary key, name text not null collate nocase , mtime integer, usn integer, common blob, kind blob);`)
    for (const [id, { name, type, flds, tmpls, css }] of [
      [BASIC_ID, BASIC],
      [CLOZE_ID, CLOZE],
    ] as const) {
      db.run('insert into notetypes values (?, ?, 0, 0, ?)', [
        id,
        name,
        Buffer.concat([protoNumber(1, type), protoBytes(3, Buffer.from(css))]),
      ])
      for (const field of flds) db.run(`insert into fields values (?, ?, ?, '')`, [id, field.ord, field.name])
      for (const { ord, name: template, qfmt, afmt } of tmpls) {
        const config = Buffer.concat([protoBytes(1, Buffer.from(qfmt)), protoBytes(2, Buffer.from(afmt))])
        db.run('insert into templates values (?, ?, ?, 0, 0, ?)', [id, ord, template, config])
      }
    }
    for (const [id, name, kind] of [
      [1, 'Default', 1],
      [10, 'Linux\x1fNetz', 1],
      [20, 'Wiederholen', 2],
    ] as const) {
      db.run(`insert into decks values (?, ?, 0, 0, '', ?)`, [id, name, protoBytes(kind, Buffer.alloc(0))])
    }
    addNotes(db, notes)
    db.exec(sql)
  })
  const foreign = Buffer.from(bytes.toString('latin1').replaceAll('collate nocase ', 'COLLATE unicase'), 'latin1')
  return Buffer.concat([foreign.subarray(0, 18), Buffer.from([2, 2]), foreign.subarray(20)])
}

/**
 * Returns an Anki package in the given format.
 * @param media files by the names that the notes use
 */
export async function packageOf(
  format: 'legacy1' | 'legacy2' | 'latest',
  content: TestPackage,
  media: Record<string, Uint8Array> = {},
): Promise<Buffer> {
  const names = Object.keys(media)
  const files = Object.values(media)
  const dummy = {
    notes: [{ fields: ['Please update to the latest Anki version, then import the .colpkg/.apkg file again.', ''] }],
  }
  if (format === 'latest') {
    const list = Buffer.concat(names.map((name) => protoBytes(1, protoBytes(1, Buffer.from(name)))))
    return zipOf({
      meta: protoNumber(1, 3),
      'collection.anki2': schema11(dummy),
      'collection.anki21b': zstdFrame(schema18(content)),
      media: zstdFrame(list),
      ...Object.fromEntries(files.map((bytes, index) => [`${index}`, zstdFrame(bytes)])),
    })
  }
  return zipOf({
    ...(format === 'legacy1'
      ? { 'collection.anki2': schema11(content) }
      : { 'collection.anki2': schema11(dummy), 'collection.anki21': schema11(content) }),
    media: JSON.stringify(Object.fromEntries(names.entries())),
    ...Object.fromEntries(files.map((bytes, index) => [`${index}`, bytes])),
  })
}

/** Writes an upload to a temporary folder, which is deleted when the test ends. */
export function writeUpload(
  t: { teardown(work: () => void): void },
  bytes: Uint8Array | string,
): { file: string; workFolder: string } {
  const workFolder = mkdtempSync(path.join(SCRATCH, 'svc-training-upload-'))
  t.teardown(() => rmSync(workFolder, { recursive: true }))
  const file = path.join(workFolder, 'upload')
  writeFileSync(file, bytes)
  return { file, workFolder }
}
