import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { parseDeckInSteps } from '../../domain/content/parse-deck.js'
import { DECKS, findFiles } from './find-files.js'
import { runInTurns } from './turns.js'

/** What an import remembers of a card: the file that described its deck, and its id there. */
export interface CardPlace {
  file: string | null
  key: string | null
}

/** The place of a card in the files of today; `line` is null when the file has faults or no such card. */
export interface CardLine {
  file: string | null
  line: number | null
}

/** A deck file may be large. */
const parseInTurn = pLimit(1)

/** Where the cards stand in the folder now; only the files in question are read, each once. */
export async function findCardLines(folder: string, places: readonly CardPlace[]): Promise<CardLine[]> {
  const wanted = new Set(places.flatMap(({ file }) => file ?? []))
  if (wanted.size === 0) return places.map(() => ({ file: null, line: null }))
  // A missing folder is a fault like others; what may be read is said in one place.
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

/** The lines of the cards by their ids and aliases; none when the file has faults, or is gone by now. */
async function readLines(folder: string, file: string): Promise<Map<string, number>> {
  const bytes = await readFile(join(folder, file)).catch(() => new Uint8Array())
  const { deck } = await runInTurns(parseDeckInSteps(file, bytes))
  const cards = deck?.cards ?? []
  const byAlias = cards.flatMap(({ aliases, line }) => aliases.map((alias) => [alias, line] as const))
  return new Map([...byAlias, ...cards.map(({ key, line }) => [key, line] as const)])
}
