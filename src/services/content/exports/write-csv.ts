import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { normalizeDeckName } from '../../../domain/anki/index.js'
import { CardKeys } from '../../../domain/content/format/card-keys.js'
import { guardCell, TABLE_HEADINGS } from '../../../domain/table/index.js'
import { CSV_FORMAT, CSV_MARK } from '../../../domain/text/csv.js'
import type { ExportSource } from './items.js'

export async function writeCsv(source: ExportSource, folder: string): Promise<void> {
  const file = createWriteStream(path.join(folder, 'export'), { mode: 0o600 })
  await pipeline(Readable.from(chunks(source), { objectMode: false }), file)
}

async function* chunks({ items }: ExportSource): AsyncGenerator<string> {
  yield CSV_MARK + stringify([TABLE_HEADINGS], CSV_FORMAT)
  const names = new DeckNames()
  let name = ''
  // Keys are unique in the whole table, because a card may be moved to another deck of the table.
  const keys = new CardKeys()
  for await (const item of items) {
    if (item.kind === 'deck') name = names.take(item.deck.name, item.deck.slug)
    if (item.kind !== 'cards') continue
    const rows = item.cards.map(({ id, question, answer, level, key }) =>
      [question, answer, level, name, keys.take(key, id)].map(guardCell),
    )
    yield stringify(rows, CSV_FORMAT)
  }
}

/** Makes deck names unique, because the import of a table identifies decks by their names. */
class DeckNames {
  readonly #taken = new Set<string>()

  take(name: string, slug: string): string {
    let free = name
    while (this.#taken.has(normalizeDeckName(free))) free += ` (${slug})`
    this.#taken.add(normalizeDeckName(free))
    return free
  }
}
