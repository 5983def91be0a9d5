import sqlite from 'node-sqlite3-wasm'
import type { PackageRow } from '../../../domain/anki/index.js'
import { collectionRow, INDEXES, type PackageCollection, TABLES } from '../../../domain/anki/index.js'

/** Settings without durability: the file is private and discarded unless it is complete. */
const PRAGMAS = `
  pragma page_size = 4096; pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive;
  pragma cache_size = -16000; pragma temp_store = memory`

type Statement = ReturnType<InstanceType<typeof sqlite.Database>['prepare']>

export class PackageDatabase {
  readonly #db: InstanceType<typeof sqlite.Database>
  readonly #notes: Statement
  readonly #cards: Statement
  readonly #reviews: Statement

  constructor(path: string) {
    this.#db = new sqlite.Database(path)
    this.#db.exec(PRAGMAS)
    this.#db.exec(TABLES)
    this.#db.exec('begin')
    const insert = (table: string, columns: number) =>
      this.#db.prepare(`insert into ${table} values (${Array(columns).fill('?').join(', ')})`)
    this.#notes = insert('notes', 11)
    this.#cards = insert('cards', 18)
    this.#reviews = insert('revlog', 9)
  }

  addNote(row: PackageRow): void {
    this.#notes.run(row)
  }

  addCard(row: PackageRow): void {
    this.#cards.run(row)
  }

  addReview(row: PackageRow): void {
    this.#reviews.run(row)
  }

  close(collection: PackageCollection): void {
    const row = collectionRow(collection)
    this.#db.run(`insert into col values (${row.map(() => '?').join(', ')})`, row)
    this.#db.exec(INDEXES)
    this.#db.exec('commit')
    for (const statement of [this.#notes, this.#cards, this.#reviews]) statement.finalize()
    this.#db.close()
  }
}
