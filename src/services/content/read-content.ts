import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDeckInSteps } from '../../domain/content/parse-deck.js'
import { parseSheet } from '../../domain/content/parse-sheet.js'
import { findDuplicateSlugs, findTakenAliases } from '../../domain/content/slug.js'
import type { Content, Fault, SlugPlace } from '../../domain/content/types.js'
import { UnreadableContent } from '../../domain/refusals.js'
import { compareText, DECKS, type Findings, findFiles, guard, SHEETS, warnOfStrays } from './find-files.js'
import { runInTurns } from './turns.js'

/**
 * Reads `decks/*.md` and `cheatsheets/**\/*.md` below a folder, in the order of their paths.
 * @returns what could be read, with the faults and warnings of all files, sorted by file and line: with any fault
 * `content` is incomplete and must not be imported
 * @throws UnreadableContent when the folder itself cannot be read
 */
export async function readContent(folder: string): Promise<{ content: Content } & Findings> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new UnreadableContent(folder, error.code)
  })
  const content: Content = { decks: [], sheets: [] }
  const findings: Findings = { faults: [], warnings: [] }
  const { faults, warnings } = findings
  const deckFiles = names.includes(DECKS.top) ? await findFiles(folder, DECKS, findings) : []
  const sheetFiles = names.includes(SHEETS.top) ? await findFiles(folder, SHEETS, findings) : []
  warnOfStrays(names, warnings)
  if (deckFiles.length + sheetFiles.length + faults.length === 0) {
    faults.push({ file: '.', line: 1, message: 'Der Ordner enthält weder decks/*.md noch cheatsheets/**/*.md' })
  }

  const deckSlugs: SlugPlace[] = []
  const deckAliases: SlugPlace[] = []
  for (const file of deckFiles) {
    const bytes = await readBytes(folder, file, faults)
    if (bytes === undefined) continue
    const result = await runInTurns(parseDeckInSteps(file, bytes))
    for (const fault of result.faults) faults.push(fault)
    if (result.slug) deckSlugs.push(result.slug)
    deckAliases.push(...(result.aliases ?? []))
    if (result.deck) content.decks.push(result.deck)
  }

  const sheetSlugs: SlugPlace[] = []
  for (const file of sheetFiles) {
    const bytes = await readBytes(folder, file, faults)
    if (bytes === undefined) continue
    const result = parseSheet(file, bytes)
    for (const fault of result.faults) faults.push(fault)
    if (result.slug) sheetSlugs.push(result.slug)
    if (result.sheet) content.sheets.push(result.sheet)
  }

  faults.push(...findDuplicateSlugs(deckSlugs), ...findTakenAliases(deckAliases, deckSlugs))
  faults.push(...findDuplicateSlugs(sheetSlugs))
  return { content, faults: faults.sort(compareFaults), warnings: warnings.sort(compareFaults) }
}

function compareFaults(a: Fault, b: Fault): number {
  return compareText(a.file, b.file) || a.line - b.line
}

async function readBytes(folder: string, file: string, faults: Fault[]): Promise<Uint8Array | undefined> {
  return guard(file, faults, () => readFile(join(folder, file)))
}
