import type { Config } from '../config.js'
import { importContent } from '../content/import-content.js'
import { readContent } from '../content/read-content.js'
import { FaultyContent } from '../errors.js'
import { showProgress } from './progress.js'
import { withDatabase } from './store.js'

type Print = (line: string) => void

export async function migrateStore(config: Config, print: Print): Promise<void> {
  await withDatabase(config, 'Der Dienst migriert bei jedem Start von selbst.', async () => {
    print('Das Schema ist aktuell.')
  })
}

/** Validates without touching the store. @throws FaultyContent */
export async function checkContent(config: Config, print: Print): Promise<void> {
  const { content, faults } = await readContent(config.contentDir)
  if (faults.length > 0) throw new FaultyContent(faults)
  const cards = content.decks.reduce((sum, deck) => sum + deck.cards.length, 0)
  print(`In Ordnung: ${content.decks.length} Decks, ${cards} Karten, ${content.sheets.length} Cheat Sheets`)
}

/** @throws FaultyContent, Conflict */
export async function importIntoStore(config: Config, print: Print): Promise<void> {
  const { onProgress, stop } = showProgress('Inhalte einlesen', print)
  const stats = await withDatabase(config, 'POST /api/admin/import', (db) =>
    importContent(db, config.contentDir, onProgress),
  ).finally(stop)
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
