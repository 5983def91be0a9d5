import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MARKDOWN_TEXTS } from '../../../domain/content/card-texts.js'
import { comparePlaces } from '../../../domain/content/findings.js'
import { parseDeckInSteps } from '../../../domain/content/format/parse-deck.js'
import { parseSheet } from '../../../domain/content/format/parse-sheet.js'
import { parseTemplate } from '../../../domain/content/format/parse-template.js'
import { parseTest } from '../../../domain/content/format/parse-test.js'
import { findDuplicateSlugs, findTakenAliases } from '../../../domain/content/format/slug.js'
import { UnreadableContent } from '../../../domain/content/refusals.js'
import type { Content, DeckSource, Fault, SheetSource, SlugPlace, TestSource } from '../../../domain/content/types.js'
import type { IncomingPicture } from '../../../domain/content/upload/incoming.js'
import { runInTurns } from '../turns.js'
import {
  DECKS,
  type FileFindings,
  findFiles,
  SHEETS,
  TEMPLATES,
  TESTS,
  tryRead,
  warnOfMisplacedFiles,
} from './find-files.js'
import { type FileText, FolderPictures, mayShowPictures, readPictureOf } from './pictures.js'

/** Parsed content. If there are faults, the content is incomplete and must not be imported. */
export interface ReadContent extends FileFindings {
  content: Content
  tests: TestSource[]
  /** Slugs of all files, with the places at which the files define them */
  slugs: { decks: SlugPlace[]; sheets: SlugPlace[]; tests: SlugPlace[] }
  pictures: IncomingPicture[]
}

/**
 * Reads `decks/*.md`, `cheatsheets/**\/*.md` and `tests/*.md` below a folder, in path order, and checks
 * `assignments/*.md`.
 * @returns the content with faults and warnings of all files, sorted by file and line
 * @param signal aborts the work; the signal's reason is thrown
 * @throws UnreadableContent if the folder itself cannot be read
 */
export async function readContent(folder: string, signal?: AbortSignal): Promise<ReadContent> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new UnreadableContent(folder, error.code)
  })
  const content: Content = { decks: [], sheets: [] }
  const findings: FileFindings = { faults: [], warnings: [] }
  const { faults, warnings } = findings
  const deckFiles = names.includes(DECKS.top) ? await findFiles(folder, DECKS, findings) : []
  const sheetFiles = names.includes(SHEETS.top) ? await findFiles(folder, SHEETS, findings) : []
  const testFiles = names.includes(TESTS.top) ? await findFiles(folder, TESTS, findings) : []
  warnOfMisplacedFiles(names, warnings)
  if (deckFiles.length + sheetFiles.length + testFiles.length + faults.length === 0) {
    faults.push({ file: '.', line: 1, message: 'Der Ordner enthält weder decks/*.md noch cheatsheets/**/*.md' })
  }

  const pictures = new FolderPictures(readPictureOf(folder))
  const deckSlugs: SlugPlace[] = []
  const deckAliases: SlugPlace[] = []
  for (const file of deckFiles) {
    const bytes = await readBytes(folder, file, faults)
    if (bytes === undefined) continue
    const result = await runInTurns(parseDeckInSteps(file, bytes), signal)
    for (const fault of result.faults) faults.push(fault)
    if (result.slug) deckSlugs.push(result.slug)
    deckAliases.push(...(result.aliases ?? []))
    if (result.deck === undefined) continue
    await pictures.place(file, bytes, textsOf(result.deck), faults)
    content.decks.push(result.deck)
  }

  const sheetSlugs: SlugPlace[] = []
  for (const file of sheetFiles) {
    signal?.throwIfAborted()
    const bytes = await readBytes(folder, file, faults)
    if (bytes === undefined) continue
    const result = parseSheet(file, bytes)
    for (const fault of result.faults) faults.push(fault)
    if (result.slug) sheetSlugs.push(result.slug)
    if (result.sheet === undefined) continue
    await pictures.place(file, bytes, [textOf(result.sheet)], faults)
    content.sheets.push(result.sheet)
  }

  const testSlugs: SlugPlace[] = []
  const tests: TestSource[] = []
  for (const file of testFiles) {
    signal?.throwIfAborted()
    const bytes = await readBytes(folder, file, faults)
    if (bytes === undefined) continue
    const result = parseTest(file, bytes)
    for (const fault of result.faults) faults.push(fault)
    if (result.slug) testSlugs.push(result.slug)
    if (result.test === undefined) continue
    await pictures.place(file, bytes, introductionOf(result.test), faults)
    tests.push(result.test)
  }

  const templateFiles = names.includes(TEMPLATES.top) ? await findFiles(folder, TEMPLATES, findings) : []
  for (const file of templateFiles) {
    const bytes = await readBytes(folder, file, faults)
    if (bytes === undefined) continue
    const parsed = parseTemplate(file, bytes)
    faults.push(...parsed.faults, ...findVariantParts(file, parsed, { ...content, tests }))
  }

  faults.push(...findDuplicateSlugs(deckSlugs), ...findTakenAliases(deckAliases, deckSlugs))
  faults.push(...findDuplicateSlugs(sheetSlugs), ...findDuplicateSlugs(testSlugs))
  return {
    content,
    tests,
    slugs: { decks: deckSlugs, sheets: sheetSlugs, tests: testSlugs },
    pictures: pictures.list(),
    faults: faults.sort(comparePlaces),
    warnings: warnings.sort(comparePlaces),
  }
}

/** Returns a fault for each part of a template that names a variant: an assignment names the original. */
function findVariantParts(
  file: string,
  { template, partLines = [] }: ReturnType<typeof parseTemplate>,
  { decks, sheets, tests }: Content & { tests: TestSource[] },
): Fault[] {
  const files = { deck: decks, sheet: sheets, test: tests, personal: [] }
  return (template?.parts ?? []).flatMap(({ kind, slug }, index) => {
    const named = files[kind].find((one) => one.slug === slug)
    const original = named?.translation?.translation_of ?? null
    if (original === null) return []
    const message = `Der Teil „${slug}“ ist eine Variante von „${original}“; eine Vorlage nennt das Original`
    return [{ file, line: partLines[index] ?? 1, message }]
  })
}

export function textsOf({ cards }: DeckSource): FileText[] {
  const texts: FileText[] = []
  for (const card of cards) {
    for (const name of MARKDOWN_TEXTS) addText(texts, card, name, card.line)
    for (const option of card.exercise?.options ?? []) {
      for (const part of ['text', 'feedback'] as const) addText(texts, option, part, card.line)
    }
  }
  return texts
}

function addText<Key extends string>(
  texts: FileText[],
  owner: Record<Key, string | null>,
  key: Key,
  line: number,
): void {
  const text: string | null = owner[key]
  if (text === null || !mayShowPictures(text)) return
  const replace = (replaced: string) => {
    owner[key] = replaced
  }
  texts.push({ text, line, replace })
}

export function textOf(sheet: SheetSource): FileText {
  const replace = (text: string) => {
    sheet.content_md = text
  }
  return { text: sheet.content_md, line: 1, replace }
}

/** Returns an array with the introduction of a test; empty if the introduction references no pictures. */
export function introductionOf({ definition }: TestSource): FileText[] {
  const texts: FileText[] = []
  addText(texts, definition, 'introduction', 1)
  return texts
}

async function readBytes(folder: string, file: string, faults: Fault[]): Promise<Uint8Array | undefined> {
  return tryRead(file, faults, () => readFile(join(folder, file)))
}
