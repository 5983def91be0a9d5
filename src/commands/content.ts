import type { Config } from '../config.js'
import { formatWarning } from '../domain/content/format-finding.js'
import type { Warning } from '../domain/content/types.js'
import { FaultyContent } from '../domain/refusals.js'
import { importContent } from '../services/content/import-content.js'
import { readContent } from '../services/content/read-content.js'
import { commandLineActor } from './actor.js'
import { complain } from './complain.js'
import { showProgress } from './progress.js'
import { withDatabase } from './store.js'

type Print = (line: string) => void

interface Output {
  json?: boolean
}

/** Applies what the schema lacks and prints what that was. */
export async function migrateStore(config: Config, options: Output, print: Print): Promise<void> {
  await withDatabase(config, 'Der Dienst migriert bei jedem Start von selbst.', async (_db, migrated) => {
    if (options.json) return print(JSON.stringify({ migrated }))
    for (const name of migrated) print(`Migriert: ${name}`)
    print('Das Schema ist aktuell.')
  })
}

function printWarnings(warnings: readonly Warning[]): void {
  for (const warning of warnings) complain(formatWarning(warning))
}

/** Validates without touching the store. @throws FaultyContent */
export async function checkContent(config: Config, options: Output, print: Print): Promise<void> {
  const { content, faults, warnings } = await readContent(config.contentDir)
  if (!options.json) printWarnings(warnings)
  if (faults.length > 0) throw new FaultyContent(faults)
  const cards = content.decks.reduce((sum, deck) => sum + deck.cards.length, 0)
  const counts = { decks: content.decks.length, cards, cheatsheets: content.sheets.length }
  if (options.json) return print(JSON.stringify({ ...counts, warnings }))
  print(`In Ordnung: ${counts.decks} Decks, ${cards} Karten, ${counts.cheatsheets} Cheat Sheets`)
}

/** @throws FaultyContent, Conflict */
export async function importIntoStore(config: Config, options: Output, print: Print): Promise<void> {
  const { onProgress, stop } = showProgress(
    'Inhalte einlesen',
    options.json ? () => {} : print,
    options.json ? false : undefined,
  )
  const stats = await withDatabase(config, 'POST /api/admin/import', (db) =>
    importContent(db, commandLineActor(), config.contentDir, onProgress),
  ).finally(stop)
  if (options.json) return print(JSON.stringify({ stats }))
  printWarnings(stats.warnings)
  print(`Import abgeschlossen in ${stats.duration_ms} ms`)
  for (const [name, key] of [
    ['Decks', 'decks'],
    ['Karten', 'cards'],
    ['Cheat Sheets', 'cheatsheets'],
  ] as const) {
    const { created, updated, unchanged, archived } = stats[key]
    print(`${name}: ${created} neu, ${updated} geändert, ${unchanged} unverändert, ${archived} archiviert`)
  }
}
