import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readAnkiPackage } from 'anki-reader'

/**
 * Exports the shipped content as an Anki package and reads it with an independent library, which must find all cards
 * except cards in pools of test questions.
 */
const CLI = path.join(import.meta.dirname, '../../dist/src/cli.js')
const folder = mkdtempSync(path.join(tmpdir(), 'svc-training-oracle-'))
const run = (...args: string[]) => {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, DATA_DIR: path.join(folder, 'data') }
  return execFileSync(process.execPath, [CLI, ...args, '--json'], { env, encoding: 'utf8' })
}

try {
  run('import')
  const expected = countCards(path.join(import.meta.dirname, '../../content/decks'))
  const file = path.join(folder, 'karten.apkg')
  run('export', file)
  const { collection } = await readAnkiPackage(new Blob([readFileSync(file)]))
  let cards = 0
  for (const deck of Object.values(collection.getDecks())) {
    const found = Object.values(deck.getCards())
    if (found.length === 0) continue
    const { name } = deck.getRawDeck()
    if (!name.startsWith('svc-training::')) throw new Error(`cards in the deck ${name}`)
    if (found.some((card) => !card.getFront() || !card.getBack())) throw new Error(`an empty side in ${name}`)
    cards += found.length
    process.stdout.write(`${name}: ${found.length}\n`)
  }
  if (cards !== expected || cards === 0) throw new Error(`${cards} of ${expected} cards`)
  process.stdout.write(`anki-reader finds all ${cards} cards\n`)
} finally {
  rmSync(folder, { recursive: true })
}

function countCards(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.endsWith('.md'))
  const texts = files.map((name) => readFileSync(path.join(folder, name), 'utf8'))
  return texts.filter((text) => !/^tests_only: true$/m.test(text)).flatMap((text) => text.match(/^## /gm) ?? []).length
}
