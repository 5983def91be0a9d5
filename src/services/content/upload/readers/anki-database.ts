import { createRequire } from 'node:module'
import type { Database as Sqlite } from 'node-sqlite3-wasm'
import {
  type AnkiDeck,
  type Collection,
  type NoteType,
  parseSchema11,
  readNumber,
  readText,
} from '../../../../domain/anki/index.js'
import { DamagedPackage } from '../../../../domain/content/refusals.js'
import type { UnpackedCollection } from './anki-package.js'
import { LIMITS } from './limits.js'

/** Loaded with `require`: the package is CommonJS without named exports. */
const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as { Database: typeof Sqlite }

type Row = Record<string, number | bigint | string | Uint8Array | null>

/** A card with its note. If the note is missing, `guid`, `noteType` and `fields` are null. */
export interface AnkiCardRow {
  noteId: string
  ord: number
  deckId: string
  /** Id of the original deck of a card that a filtered deck has borrowed; otherwise `0` */
  homeId: string
  isSuspended: boolean
  isLearned: boolean
  /** Place of the card among the new cards, also if it is learned; null if unknown */
  position: number | null
  guid: string | null
  noteType: string | null
  tags: string
  /** Fields of the note, separated by 0x1f; also null if they are longer than 16 MiB together */
  fields: string | null
}

const TABLES = ['notes', 'cards', 'col']
const TABLES_18 = [...TABLES, 'notetypes', 'fields', 'templates', 'decks']
const MAX_FIELDS_BYTES = 16 * LIMITS.fieldLength
/** Maximum length of a guid in bytes; one more byte is read to detect a longer guid */
export const MAX_GUID_LENGTH = 1_000
const MAX_TAGS_LENGTH = 10_000
const MAX_DATA_LENGTH = 1_000
const MAX_CONFIG_BYTES = 16 * LIMITS.fieldLength
/** Separator of the parts of a deck name in the database */
const PART = '\x1f'

/** Reads the database of a package. The file may be malicious, so only plain tables are read. */
export class AnkiDatabase {
  readonly #db: Sqlite
  readonly #isLatest: boolean

  /** @throws DamagedPackage if the file is not a database with Anki's tables */
  constructor({ path, format }: UnpackedCollection) {
    this.#isLatest = format === 'latest'
    this.#db = guard(() => new Database(path, { fileMustExist: true }))
    try {
      guard(() => this.#db.exec('pragma trusted_schema = off; pragma temp_store = memory; pragma cell_size_check = on'))
      if (this.#isLatest) this.#replaceCollation()
      this.#checkTables()
    } catch (error) {
      this.close()
      throw error
    }
  }

  close(): void {
    this.#db.close()
  }

  /** Returns the note types and decks. @throws DamagedPackage if they cannot be read */
  readCollection(): Collection {
    const collection = guard(() => (this.#isLatest ? this.#readSchema18() : this.#readSchema11()))
    if (collection === undefined) throw new DamagedPackage('die Notiztypen und Decks sind nicht lesbar')
    return collection
  }

  /** @throws DamagedPackage if the cards cannot be read */
  countCards(): number {
    return Number(guard(() => this.#all('select count(*) as count from cards')[0]?.count ?? 0))
  }

  /** Yields all cards, grouped by note. @throws DamagedPackage if they cannot be read */
  *readCards(): Generator<AnkiCardRow> {
    const statement = guard(() =>
      // Sorts before the join; otherwise SQLite would copy the note's text for each card while sorting. Texts are read
      // as bytes, because as texts they would end at the first NUL character.
      this.#db.prepare(`
        select c.nid, c.ord, c.did, c.odid, c.queue, c.type, c.due, c.data, n.mid,
          substr(cast(n.guid as blob), 1, ${MAX_GUID_LENGTH + 1}) as guid,
          substr(cast(n.tags as blob), 1, ${MAX_TAGS_LENGTH}) as tags,
          case when octet_length(n.flds) <= ${MAX_FIELDS_BYTES} then cast(n.flds as blob) end as flds
        from (select nid, ord, did, odid, queue, type, due, substr(data, 1, ${MAX_DATA_LENGTH}) as data from cards order by nid, ord, id limit -1) c
        left join notes n on n.id = c.nid`),
    )
    try {
      const rows = statement.iterate() as IterableIterator<Row>
      for (;;) {
        const { done, value } = guard(() => rows.next())
        if (done) return
        yield toCard(value)
      }
    } finally {
      guard(() => statement.finalize())
    }
  }

  #all(sql: string): Row[] {
    return this.#db.all(sql) as Row[]
  }

  /** Replaces Anki's collation `unicase` in the schema, because SQLite cannot read tables with an unknown collation. */
  #replaceCollation(): void {
    guard(() =>
      this.#db.exec(`
        pragma writable_schema = on;
        update sqlite_master set sql = replace(replace(sql, 'COLLATE unicase', 'COLLATE nocase'), 'collate unicase', 'COLLATE nocase')
          where sql like '%collate unicase%';
        pragma writable_schema = reset`),
    )
  }

  /**
   * @throws DamagedPackage if a table is missing, is a view or a virtual table, or has computed columns. Reading views,
   * virtual tables or computed columns of a malicious package could take very long.
   */
  #checkTables(): void {
    const names = this.#isLatest ? TABLES_18 : TABLES
    const schema = guard(() => this.#all('select type, name, sql from sqlite_master'))
    for (const name of names) {
      const found = schema.filter((one) => String(one.name).toLowerCase() === name)
      const isTable =
        found.length === 1 && found[0]?.type === 'table' && /^\s*create\s+table\b/i.test(String(found[0].sql))
      if (!isTable) throw new DamagedPackage(`die Tabelle „${name}“ fehlt`)
      const columns = guard(() => this.#all(`select hidden from pragma_table_xinfo('${name}')`))
      if (columns.some(({ hidden }) => Number(hidden) !== 0))
        throw new DamagedPackage(`die Tabelle „${name}“ ist fremd`)
    }
  }

  #readSchema11(): Collection | undefined {
    const size = this.#all('select octet_length(models) + octet_length(decks) as size from col limit 1')[0]?.size
    if (size === undefined || Number(size) > MAX_CONFIG_BYTES) return undefined
    const [row] = this.#all('select cast(models as blob) as models, cast(decks as blob) as decks from col limit 1')
    return row && parseSchema11(toText(row.models), toText(row.decks))
  }

  #readSchema18(): Collection {
    const noteTypes = new Map<string, NoteType>()
    const decks = new Map<string, AnkiDeck>()
    for (const { id, name, config } of this.#configs('notetypes', 'id, name')) {
      const bytes = toBytes(config)
      const isCloze = readNumber(bytes, KIND) === CLOZE
      const css = readText(bytes, CSS)
      noteTypes.set(String(id), { id: String(id), name: toText(name), isCloze, fields: [], templates: [], css })
    }
    for (const { ntid, name } of this.#configs('fields', 'ntid, ord, name')) {
      noteTypes.get(String(ntid))?.fields.push(toText(name))
    }
    for (const { ntid, ord, name, config } of this.#configs('templates', 'ntid, ord, name')) {
      const bytes = toBytes(config)
      noteTypes.get(String(ntid))?.templates.push({
        name: toText(name),
        ord: Number(ord),
        front: readText(bytes, FRONT),
        back: readText(bytes, BACK),
      })
    }
    for (const { id, name, kind } of this.#all('select id, name, kind from decks')) {
      const isFiltered = readFiltered(toBytes(kind))
      decks.set(String(id), { name: toText(name).replaceAll(PART, '::'), isFiltered })
    }
    return { noteTypes, decks }
  }

  /** Returns the rows of a table, ordered by `ord` if `columns` contains it. `config` is null if it exceeds 1 MiB. */
  #configs(table: string, columns: string): Row[] {
    const rows = this.#all(
      `select ${columns}, case when octet_length(config) <= ${LIMITS.fieldLength} then config end as config from ${table}`,
    )
    return rows.sort((a, b) => Number(a.ord ?? 0) - Number(b.ord ?? 0))
  }
}

const KIND = 1
const CLOZE = 1
const CSS = 3
const FRONT = 1
const BACK = 2
const FILTERED = 2

function readFiltered(kind: Uint8Array): boolean {
  // The settings of a normal deck are in field 1 of the Protobuf message, those of a filtered deck in field 2.
  return kind.length > 0 && (kind[0] as number) >> 3 === FILTERED
}

function toCard(row: Row): AnkiCardRow {
  return {
    noteId: String(row.nid),
    ord: Number(row.ord),
    deckId: String(row.did),
    homeId: String(row.odid ?? 0),
    isSuspended: Number(row.queue) === -1,
    isLearned: Number(row.type) !== 0,
    position: positionOf(row),
    // Only a card without a note has no note type. `guid` does not tell whether there is a note, because the library
    // also returns null for an empty blob.
    guid: row.mid === null ? null : toText(row.guid),
    noteType: row.mid === null ? null : String(row.mid),
    tags: toText(row.tags),
    fields: row.flds === null ? null : toText(row.flds),
  }
}

/** Returns `due` of a new card. For a learned card, Anki keeps the former position in `data`, as JSON. */
function positionOf({ type, due, data }: Row): number | null {
  const text = Number(type) === 0 ? toText(due) : /"pos":(\d+)/.exec(toText(data))?.[1]
  return text === undefined || !/^\d+$/.test(text) ? null : Number(text)
}

function toText(value: Row[string] | undefined): string {
  if (value === null || value === undefined) return ''
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
  return text.toWellFormed()
}

function toBytes(value: Row[string] | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array()
}

function guard<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof DamagedPackage) throw error
    throw new DamagedPackage('die Sammlung ist nicht lesbar')
  }
}
