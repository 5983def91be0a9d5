import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { IncomingPicture } from '../../domain/content/incoming.js'
import { parseDeckInSteps } from '../../domain/content/parse-deck.js'
import { parseSheet } from '../../domain/content/parse-sheet.js'
import { findDuplicateSlugs, findTakenAliases } from '../../domain/content/slug.js'
import type { Content, DeckSource, Fault, SheetSource, SlugPlace } from '../../domain/content/types.js'
import { UnreadableContent } from '../../domain/refusals.js'
import { comparePlaces, DECKS, type Findings, findFiles, guard, SHEETS, warnOfStrays } from './find-files.js'
import { type FileText, FolderPictures, mayShowPictures, readPictureOf } from './folder-pictures.js'
import { runInTurns } from './turns.js'

/** What could be read; with any fault `content` is incomplete and must not be imported. */
export interface ReadContent extends Findings {
  content: Content
  /** Where the slugs stand. */
  slugs: { decks: SlugPlace[]; sheets: SlugPlace[] }
  /** Those that the texts show, each once. */
  pictures: IncomingPicture[]
}

/**
 * Reads `decks/*.md` and `cheatsheets/**\/*.md` below a folder, in the order of their paths.
 * @returns what could be read, with the faults and warnings of all files, sorted by file and line
 * @throws UnreadableContent when the folder itself cannot be read
 */
export async function readContent(folder: string): Promise<ReadContent> {
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

  const pictures = new FolderPictures(readPictureOf(folder))
  const deckSlugs: SlugPlace[] = []
  const deckAliases: SlugPlace[] = []
  for (const file of deckFiles) {
    const bytes = await readBytes(folder, file, faults)
    if (bytes === undefined) continue
    const result = await runInTurns(parseDeckInSteps(file, bytes))
    for (const fault of result.faults) faults.push(fault)
    if (result.slug) deckSlugs.push(result.slug)
    deckAliases.push(...(result.aliases ?? []))
    if (result.deck === undefined) continue
    await pictures.place(file, bytes, textsOf(result.deck), faults)
    content.decks.push(result.deck)
  }

  const sheetSlugs: SlugPlace[] = []
  for (const file of sheetFiles) {
    const bytes = await readBytes(folder, file, faults)
    if (bytes === undefined) continue
    const result = parseSheet(file, bytes)
    for (const fault of result.faults) faults.push(fault)
    if (result.slug) sheetSlugs.push(result.slug)
    if (result.sheet === undefined) continue
    await pictures.place(file, bytes, [textOf(result.sheet)], faults)
    content.sheets.push(result.sheet)
  }

  faults.push(...findDuplicateSlugs(deckSlugs), ...findTakenAliases(deckAliases, deckSlugs))
  faults.push(...findDuplicateSlugs(sheetSlugs))
  return {
    content,
    slugs: { decks: deckSlugs, sheets: sheetSlugs },
    pictures: pictures.list(),
    faults: faults.sort(comparePlaces),
    warnings: warnings.sort(comparePlaces),
  }
}

/** The sides of its cards that may show pictures. */
export function textsOf({ cards }: DeckSource): FileText[] {
  const texts: FileText[] = []
  for (const card of cards) {
    for (const side of ['question', 'answer'] as const) {
      if (!mayShowPictures(card[side])) continue
      const replace = (text: string) => {
        card[side] = text
      }
      texts.push({ text: card[side], line: card.line, replace })
    }
  }
  return texts
}

export function textOf(sheet: SheetSource): FileText {
  const replace = (text: string) => {
    sheet.content_md = text
  }
  return { text: sheet.content_md, line: 1, replace }
}

async function readBytes(folder: string, file: string, faults: Fault[]): Promise<Uint8Array | undefined> {
  return guard(file, faults, () => readFile(join(folder, file)))
}
