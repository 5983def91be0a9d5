import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Kysely } from 'kysely'
import { listSources } from '../../db/queries/content/sources.js'
import type { Database } from '../../db/types.js'
import type { Config } from '../config.js'
import { countFindings, formatWarning } from '../domain/content/findings.js'
import { COLUMNS_UNCLEAR, SOURCE_NOT_FOUND, SourceExists } from '../domain/content/refusals.js'
import { parseUploadQuery } from '../domain/content/upload/query.js'
import { archiveSource, purgeSource, releaseSource } from '../services/content/sources.js'
import { checkUpload, importUpload } from '../services/content/upload/import.js'
import type { UploadReport } from '../services/content/upload/report.js'
import { withWorkFolder } from '../services/content/work-folder.js'
import { commandLineActor } from './actor.js'
import { printChanges } from './content.js'
import { printError } from './print-error.js'
import { showProgress } from './progress.js'
import { RefusedError, withDatabase } from './store.js'

type Print = (line: string) => void

export interface UploadOptions {
  check?: boolean
  source?: number
  new?: boolean
  deck?: string
  level?: string
  columns?: string
  separator?: string
  mirror?: boolean
  theirs?: boolean
  active?: boolean
  name?: string
  json?: boolean
}

/**
 * Imports a package, a table, a file with questions or an archive. With `check`, only prints the changes. The limits of
 * file size and reading time, which protect the service, do not apply.
 * @throws RefusedError if the file is unreadable, another process holds the embedded store, or `importUpload` throws
 * SourceExists
 * @throws InvalidInput if an option is invalid
 * @throws the other refusals of `importUpload`
 */
export async function importFile(config: Config, file: string, options: UploadOptions, print: Print): Promise<void> {
  const size = await sizeOf(file)
  const { sourceId, ...request } = parseUploadQuery({
    name: options.name ?? path.basename(file),
    source: options.source === undefined ? undefined : String(options.source),
    new: String(options.new === true),
    mirror: String(options.mirror === true),
    keep: options.theirs === true ? 'theirs' : 'ours',
    active: String(options.active === true),
    deck: options.deck,
    level: options.level,
    columns: options.columns,
    separator: options.separator,
  })
  if (sourceId === null) throw SOURCE_NOT_FOUND
  const { mediaMaxBytes } = config
  const isQuiet = options.json === true
  const { onProgress, stop } = showProgress('Datei einlesen', isQuiet ? () => {} : print, isQuiet ? false : undefined)
  const report = await withDatabase(config, 'POST /api/content/imports', (db) =>
    withWorkFolder(config.tmpDir, 'upload', (folder) => {
      const received = { path: path.resolve(file), size, folder }
      const place = { fileName: path.basename(file), sourceId, userId: null }
      const upload = { ...request, ...place, mediaMaxBytes, timeoutMs: Number.POSITIVE_INFINITY, onProgress }
      return options.check ? checkUpload(db, received, upload) : importUpload(db, commandLineActor(), received, upload)
    }),
  )
    .catch(nameTheOptions)
    .finally(stop)
  if (isQuiet) return print(JSON.stringify({ check: options.check === true, ...report }))
  if (report.table?.unclear) throw COLUMNS_UNCLEAR
  printReport(report, options.check === true, print)
}

async function sizeOf(file: string): Promise<number> {
  const stats = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new RefusedError(`Die Datei ${file} ist nicht lesbar (${error.code}).`)
  })
  if (!stats.isFile()) throw new RefusedError(`${file} ist keine Datei.`)
  return stats.size
}

function nameTheOptions(error: unknown): never {
  if (!(error instanceof SourceExists)) throw error
  const { id, name } = error.source
  throw new RefusedError(
    `Eine Quelle „${name}“ gibt es schon: --source ${id} aktualisiert sie, --new legt eine zweite an.`,
  )
}

function printReport({ source, stats, decks, edited }: UploadReport, isCheck: boolean, print: Print): void {
  for (const warning of stats.warnings) printError(formatWarning(warning))
  const more = stats.warnings_total - countFindings(stats.warnings)
  if (more > 0) printError(`… und ${more} weitere Warnungen`)
  if (source.id === null && !isCheck) {
    print('Es gab nichts zu übernehmen; eine Quelle ist nicht entstanden.')
    return
  }
  const number = source.id === null ? 'eine neue Quelle' : `Quelle ${source.id}`
  print(
    isCheck ? `Ein Import in „${source.name}“ (${number}) würde ändern:` : `Importiert in „${source.name}“ (${number})`,
  )
  printChanges(stats, print)
  print(`Bilder: ${stats.pictures.created} neu, ${stats.pictures.unchanged} vorhanden`)
  if (edited.total > 0) {
    const kept = [...edited.cards, ...edited.cheatsheets].some(({ keep }) => keep === 'ours')
    const what = kept ? 'und bleiben; --theirs ersetzt sie' : 'und werden ersetzt'
    print(`Hier geändert und in der Datei anders: ${edited.total} Karten und Spickzettel ${what}`)
  }
  for (const { slug, name, created, updated, moved, unchanged, archived } of decks) {
    const numbers = `${created} neu, ${updated} geändert, ${moved} verschoben, ${unchanged} unverändert, ${archived} archiviert`
    print(`  ${slug} („${name}“): ${numbers}`)
  }
}

interface Output {
  json?: boolean
}

export async function printSources(config: Config, options: Output, print: Print): Promise<void> {
  const sources = await withDatabase(config, 'GET /api/content/sources', (db) => listSources(db, 'all'))
  if (options.json) return print(JSON.stringify({ sources }))
  for (const { id, name, kind, decks, cards, updated_at, archived_at } of sources) {
    const state = archived_at === null ? '' : ', archiviert'
    print(`${id}\t${name}\t${kind}\t${decks} Decks, ${cards} Karten${state}\t${updated_at.toISOString()}`)
  }
}

/**
 * Archives a source with its content, or with `purge` deletes it with all progress.
 * @throws SOURCE_NOT_FOUND if no source has the id
 * @throws IMPORT_RUNS if an import or another change of a source is running
 */
export async function deleteSource(
  config: Config,
  id: number,
  options: Output & { purge?: boolean },
  print: Print,
): Promise<void> {
  const remove = options.purge ? purgeSource : archiveSource
  await changeSource(config, `DELETE /api/content/sources/${id}`, (db) => remove(db, commandLineActor(), id))
  print(options.json ? JSON.stringify({ ok: true }) : options.purge ? 'Endgültig entfernt.' : 'Archiviert.')
}

/**
 * Releases the content of a source to the content folder.
 * @throws SOURCE_NOT_FOUND if no source has the id
 * @throws IMPORT_RUNS if an import or another change of a source is running
 */
export async function handOverSource(config: Config, id: number, options: Output, print: Print): Promise<void> {
  await changeSource(config, `POST /api/content/sources/${id}/release`, (db) =>
    releaseSource(db, commandLineActor(), id),
  )
  print(options.json ? JSON.stringify({ ok: true }) : 'Die Decks gehören jetzt zum Ordner der Inhalte.')
}

function changeSource(config: Config, call: string, change: (db: Kysely<Database>) => Promise<void>): Promise<void> {
  return withDatabase(config, call, (db) => change(db))
}
