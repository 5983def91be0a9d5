import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { parseDeckInSteps } from '../../../domain/content/format/parse-deck.js'
import { runInTurns } from '../turns.js'
import { DECKS, findFiles } from './find-files.js'

/** Place of a card as recorded by an import: file of the deck and key of the card. */
export interface CardPlace {
  file: string | null
  key: string | null
}

/**
 * Place of a card in the current files. `file` is null if the file does not exist or is too large. `line` is also null
 * if the card is not found, for example because the file has faults.
 */
export interface CardLine {
  file: string | null
  line: number | null
}

/** Parses one file at a time, because a deck file may be large. */
const parseInTurn = pLimit(1)

/** Returns the places of cards in the current files of the folder, in the order of `places`. Reads each file once. */
export async function findCardLines(folder: string, places: readonly CardPlace[]): Promise<CardLine[]> {
  const wanted = new Set(places.flatMap(({ file }) => file ?? []))
  if (wanted.size === 0) return places.map(() => ({ file: null, line: null }))
  // `findFiles` returns only files that may be read, and none if the folder is missing.
  const present = await findFiles(folder, DECKS, { faults: [], warnings: [] })
  const lines = new Map<string, Map<string, number>>()
  for (const file of present) {
    if (wanted.has(file)) lines.set(file, await parseInTurn(() => readLines(folder, file)))
  }
  return places.map(({ file, key }) => {
    const found = lines.get(file ?? '')
    return found === undefined ? { file: null, line: null } : { file, line: found.get(key ?? '') ?? null }
  })
}

/** Returns the lines of the cards by key and alias; an empty map if the file has faults or cannot be read. */
async function readLines(folder: string, file: string): Promise<Map<string, number>> {
  const bytes = await readFile(join(folder, file)).catch(() => new Uint8Array())
  const { deck } = await runInTurns(parseDeckInSteps(file, bytes))
  const cards = deck?.cards ?? []
  const byAlias = cards.flatMap(({ aliases, line }) => aliases.map((alias) => [alias, line] as const))
  return new Map([...byAlias, ...cards.map(({ key, line }) => [key, line] as const)])
}
