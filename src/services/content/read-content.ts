import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDeck } from '../../domain/content/parse-deck.js'
import { parseSheet } from '../../domain/content/parse-sheet.js'
import { findDuplicateSlugs } from '../../domain/content/slug.js'
import type { Content, Fault, SlugPlace, Warning } from '../../domain/content/types.js'

/**
 * Reads `decks/*.md` and `cheatsheets/**\/*.md` below a folder, in the order of their paths. Hidden files and folders
 * are left out, symbolic links are followed (mounted configuration consists of them).
 * @returns what could be read, and the faults of all files, sorted by file and line: with any of them `content` is
 * incomplete; `warnings` are what is passed over, sorted likewise
 * @throws when the folder itself cannot be read
 */
export async function readContent(folder: string): Promise<{ content: Content; faults: Fault[]; warnings: Warning[] }> {
  await readdir(folder)
  const content: Content = { decks: [], sheets: [] }
  const faults: Fault[] = []
  const warnings: Warning[] = []

  const deckSlugs: SlugPlace[] = []
  for (const file of await findFiles(folder, 'decks', false, faults)) {
    const bytes = await readBytes(folder, file, faults)
    if (bytes === undefined) continue
    const result = parseDeck(file, bytes)
    for (const fault of result.faults) faults.push(fault)
    if (result.slug) deckSlugs.push(result.slug)
    if (result.deck) content.decks.push(result.deck)
  }

  const sheetSlugs: SlugPlace[] = []
  for (const file of await findFiles(folder, 'cheatsheets', true, faults)) {
    const bytes = await readBytes(folder, file, faults)
    if (bytes === undefined) continue
    const result = parseSheet(file, bytes)
    for (const fault of result.faults) faults.push(fault)
    if (result.slug) sheetSlugs.push(result.slug)
    if (result.sheet) content.sheets.push(result.sheet)
  }

  const duplicates = [...findDuplicateSlugs(deckSlugs), ...findDuplicateSlugs(sheetSlugs)]
  const all = [...faults, ...duplicates].sort((a, b) => compare(a.file, b.file) || a.line - b.line)
  return { content, faults: all, warnings }
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/**
 * The Markdown files of a kind, sorted by path. What is there but cannot be read is a fault: if it were passed over,
 * an import would archive what it holds.
 */
async function findFiles(folder: string, top: string, isDeep: boolean, faults: Fault[]): Promise<string[]> {
  const files: string[] = []

  async function visit(path: string, parents: string[]): Promise<void> {
    const real = await realpath(join(folder, path))
    // A link to a folder above would never end.
    if (parents.includes(real)) return
    for (const name of await readdir(real)) {
      if (name.startsWith('.')) continue
      const child = `${path}/${name}`
      // Only what could be content is looked at.
      if (!isDeep && !name.endsWith('.md')) continue
      await guard(child, faults, async () => {
        const stats = await stat(join(folder, child))
        if (stats.isFile() && name.endsWith('.md')) files.push(child)
        else if (stats.isDirectory() && isDeep) await visit(child, [...parents, real])
      })
    }
  }

  await guard(top, faults, () => visit(top, []), ['ENOENT', 'ENOTDIR'])
  return files.sort(compare)
}

async function readBytes(folder: string, file: string, faults: Fault[]): Promise<Uint8Array | undefined> {
  return guard(file, faults, () => readFile(join(folder, file)))
}

/** Turns an error of the file system into a fault, except for the codes that are fine. */
async function guard<T>(file: string, faults: Fault[], read: () => Promise<T>, fine: string[] = []) {
  try {
    return await read()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!fine.includes(code)) faults.push({ file, line: 1, message: `Nicht lesbar (${code})` })
    return undefined
  }
}
