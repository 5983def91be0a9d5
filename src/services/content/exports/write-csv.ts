import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { CardKeys } from '../../../domain/content/card-keys.js'
import { guardCell, TABLE_HEADINGS } from '../../../domain/content/table-cells.js'
import type { ExportSource } from './items.js'

/** What Excel takes for a table where a comma is in numbers; the mark tells it the encoding. */
const MARK = '\ufeff'
/** The package quotes what holds a whole line end of its own; a part of one ends the line, too. */
const FORMAT = { delimiter: ';', record_delimiter: '\r\n', quoted_match: /[\r\n]/ }

/** A table of the cards, one row each. */
export async function writeCsv(source: ExportSource, folder: string): Promise<void> {
  const file = createWriteStream(path.join(folder, 'export'), { mode: 0o600 })
  await pipeline(Readable.from(chunks(source), { objectMode: false }), file)
}

async function* chunks({ items }: ExportSource): AsyncGenerator<string> {
  yield MARK + stringify([TABLE_HEADINGS], FORMAT)
  const names = new DeckNames()
  let name = ''
  // Of a table as a whole, where a card may move from deck to deck.
  const keys = new CardKeys()
  for await (const item of items) {
    if (item.kind === 'deck') name = names.take(item.deck.name, item.deck.slug)
    if (item.kind !== 'cards') continue
    const rows = item.cards.map(({ id, question, answer, level, key }) =>
      [question, answer, level, name, keys.take(key, id)].map(guardCell),
    )
    yield stringify(rows, FORMAT)
  }
}

/** A table knows decks by their names alone. */
class DeckNames {
  readonly #taken = new Set<string>()

  take(name: string, slug: string): string {
    const free = this.#taken.has(name) ? `${name} (${slug})` : name
    this.#taken.add(free)
    return free
  }
}
