import type { Config } from '../config.js'
import { formatWarning, sortWarnings } from '../domain/content/findings.js'
import type { ChangesWithTests } from '../domain/content/plan/types.js'
import { FaultyContent, MostArchived } from '../domain/content/refusals.js'
import type { Warning } from '../domain/content/types.js'
import { previewImport } from '../services/content/folder/check.js'
import { importContent } from '../services/content/folder/import.js'
import { readContent } from '../services/content/folder/read.js'
import { commandLineActor } from './actor.js'
import { printError } from './print-error.js'
import { showProgress } from './progress.js'
import { RefusedError, withDatabase, withExistingStore } from './store.js'

type Print = (line: string) => void

interface Output {
  json?: boolean
}

/** Applies missing migrations and prints their names. */
export async function migrateStore(config: Config, options: Output, print: Print): Promise<void> {
  await withDatabase(config, 'Der Dienst migriert bei jedem Start von selbst.', async (_db, migrated) => {
    if (options.json) return print(JSON.stringify({ migrated }))
    for (const name of migrated) print(`Migriert: ${name}`)
    print('Das Schema ist aktuell.')
  })
}

interface ImportOutput extends Output {
  force?: boolean
}

/**
 * Validates the content and prints the changes that an import would make, if `withExistingStore` can read the store.
 * Writes nothing.
 * @throws UnreadableContent, FaultyContent, MediaFull under the conditions of `checkFolder`
 * @throws RefusedError if an import would throw MostArchived and `force` is not set
 */
export async function checkContent(config: Config, options: ImportOutput, print: Print): Promise<void> {
  const read = await readContent(config.contentDir)
  const { content, tests, faults, warnings } = read
  if (!options.json) printWarnings(warnings)
  if (faults.length > 0) throw new FaultyContent(faults)
  const cards = content.decks.reduce((sum, deck) => sum + deck.cards.length, 0)
  const counts = { decks: content.decks.length, cards, cheatsheets: content.sheets.length }
  const withTests = tests.length > 0 ? { ...counts, tests: tests.length } : counts
  const checked = await withExistingStore(config, (db) => previewImport(db, read, config.mediaMaxBytes))
  const { stats: plan, refusal } = checked.result ?? {}
  if (options.json) {
    const { warnings: _, ...changes } = plan ?? {}
    const all = sortWarnings([...warnings, ...(plan?.warnings ?? [])])
    print(JSON.stringify({ ...withTests, plan: plan ? changes : null, warnings: all }))
  } else {
    printWarnings(plan?.warnings ?? [])
    print(
      `In Ordnung: ${counts.decks} Decks, ${cards} Karten, ${counts.cheatsheets} Cheat Sheets${tests.length > 0 ? `, ${tests.length} Tests` : ''}`,
    )
    if (plan === undefined) return print(`Was ein Import ändern würde, ist nicht bekannt: ${checked.reason}`)
    print('Ein Import würde ändern:')
    printChanges(plan, print)
  }
  // The plan is printed before the refusal, because it shows whether `--force` is safe.
  if (refusal !== undefined && options.force !== true) nameTheOption(refusal)
}

/**
 * @throws RefusedError if another process holds the embedded store, or if `importContent` throws MostArchived
 * @throws the other errors of `importContent`
 */
export async function importIntoStore(config: Config, options: ImportOutput, print: Print): Promise<void> {
  const { onProgress, stop } = showProgress(
    'Inhalte einlesen',
    options.json ? () => {} : print,
    options.json ? false : undefined,
  )
  const stats = await withDatabase(config, 'POST /api/admin/import', (db) =>
    importContent(db, commandLineActor(), config.contentDir, {
      force: options.force === true,
      mediaMaxBytes: config.mediaMaxBytes,
      onProgress,
    }),
  )
    .catch(nameTheOption)
    .finally(stop)
  if (options.json) return print(JSON.stringify({ stats }))
  printWarnings(stats.warnings)
  print(`Import abgeschlossen in ${stats.duration_ms} ms`)
  printChanges(stats, print)
}

function nameTheOption(error: unknown): never {
  if (!(error instanceof MostArchived)) throw error
  throw new RefusedError(`${error.reason}; --force erlaubt es`)
}

function printWarnings(warnings: readonly Warning[]): void {
  for (const warning of warnings) printError(formatWarning(warning))
}

export function printChanges(stats: ChangesWithTests, print: Print): void {
  for (const [name, key] of [
    ['Decks', 'decks'],
    ['Karten', 'cards'],
    ['Cheat Sheets', 'cheatsheets'],
    ['Tests', 'tests'],
  ] as const) {
    if (stats[key] === undefined) continue
    const { created, updated, unchanged, archived } = stats[key]
    print(`${name}: ${created} neu, ${updated} geändert, ${unchanged} unverändert, ${archived} archiviert`)
  }
}
