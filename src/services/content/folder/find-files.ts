import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { compareText } from '../../../domain/content/findings.js'
import type { Fault, Warning } from '../../../domain/content/types.js'

export interface FileFindings {
  faults: Fault[]
  warnings: Warning[]
}

export interface Kind {
  top: 'decks' | 'cheatsheets' | 'tests' | 'assignments'
  /** Whether subfolders of `top` may also contain content */
  isDeep: boolean
  maxMegabytes: number
}

export const DECKS: Kind = { top: 'decks', isDeep: false, maxMegabytes: 64 }
export const SHEETS: Kind = { top: 'cheatsheets', isDeep: true, maxMegabytes: 5 }
export const TESTS: Kind = { top: 'tests', isDeep: false, maxMegabytes: 1 }
/** Assignment templates, which are read on request and not imported */
export const TEMPLATES: Kind = { top: 'assignments', isDeep: false, maxMegabytes: 1 }

const MEGABYTE = 2 ** 20

/** File names that suggest Markdown; only `.md` files are read */
const LIKE_MARKDOWN = /\.(md|mdx|mdown|mkdn?|markdown)(\.txt)?$/i
const LIKE_TOP = /^(decks?|cheat[-_ ]?sheets?|tests?)$/i
const README = /^readme\./i

/**
 * Finds the files of a kind below a folder. Follows symbolic links, because mounted configuration, such as a ConfigMap
 * of Kubernetes, consists of links. An unreadable entry causes a fault, because the import would otherwise archive its
 * content; Markdown in unexpected places causes a warning.
 * @returns paths relative to the folder, sorted
 */
export async function findFiles(folder: string, kind: Kind, { faults, warnings }: FileFindings): Promise<string[]> {
  const { top, isDeep, maxMegabytes } = kind
  const files: string[] = []

  async function visit(path: string, parents: string[]): Promise<void> {
    const real = await realpath(join(folder, path))
    // A link to a parent folder would cause an endless recursion.
    if (parents.includes(real)) return
    for (const entry of await readdir(real, { withFileTypes: true })) {
      const { name } = entry
      if (name.startsWith('.')) continue
      const child = `${path}/${name}`
      if (isDeep || name.endsWith('.md')) await tryRead(child, faults, () => visitChild(child, [...parents, real]))
      else if (entry.isDirectory()) await warnOfFolder(child)
      else if (LIKE_MARKDOWN.test(name)) warn(child, WRONG_NAME)
    }
  }

  async function visitChild(path: string, parents: string[]): Promise<void> {
    const stats = await stat(join(folder, path))
    if (stats.isDirectory()) await (isDeep ? visit(path, parents) : warnOfFolder(path))
    else if (!path.endsWith('.md')) {
      if (LIKE_MARKDOWN.test(path)) warn(path, WRONG_NAME)
    } else if (!stats.isFile()) warn(path, 'keine gewöhnliche Datei')
    else if (stats.size <= maxMegabytes * MEGABYTE) files.push(path)
    else faults.push({ file: path, line: 1, message: `Die Datei ist größer als ${maxMegabytes} MB` })
  }

  /** Warns of Markdown in a folder that is not read. Does not follow links inside, and ignores unreadable entries. */
  async function warnOfFolder(path: string): Promise<void> {
    for (const entry of await readdir(join(folder, path), { withFileTypes: true }).catch(() => [])) {
      const child = `${path}/${entry.name}`
      if (entry.name.startsWith('.')) continue
      if (entry.isDirectory()) await warnOfFolder(child)
      else if (LIKE_MARKDOWN.test(entry.name)) warn(child, `die Dateien liegen unmittelbar in ${top}/`)
    }
  }

  function warn(file: string, reason: string): void {
    warnings.push({ file, line: 1, message: `Nicht eingelesen: ${reason}` })
  }

  await tryRead(top, faults, () => visit(top, []))
  return files.sort(compareText)
}

const WRONG_NAME = 'der Dateiname muss auf .md enden'

/** Warns of names beside the content folders that look like content, such as `deck` or `notes.md`. */
export function warnOfMisplacedFiles(names: readonly string[], warnings: Warning[]): void {
  for (const file of names) {
    if ([DECKS, SHEETS, TESTS].some(({ top }) => top === file) || file.startsWith('.') || README.test(file)) continue
    if (!LIKE_MARKDOWN.test(file) && !LIKE_TOP.test(file)) continue
    warnings.push({ file, line: 1, message: 'Nicht eingelesen: die Inhalte liegen in decks/, cheatsheets/ und tests/' })
  }
}

/** Runs `read` and returns its result. On a file system error adds a fault and returns undefined. */
export async function tryRead<T>(file: string, faults: Fault[], read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    faults.push({ file, line: 1, message: code === 'ENOTDIR' ? `„${file}“ ist kein Ordner` : `Nicht lesbar (${code})` })
    return undefined
  }
}
