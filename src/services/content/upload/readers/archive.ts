import { compareText } from '../../../../domain/content/findings.js'
import { parseDeck } from '../../../../domain/content/format/parse-deck.js'
import { parseSheet } from '../../../../domain/content/format/parse-sheet.js'
import { parseTest } from '../../../../domain/content/format/parse-test.js'
import { findDuplicateSlugs } from '../../../../domain/content/format/slug.js'
import { EntryTooLarge } from '../../../../domain/content/refusals.js'
import type { DeckSource, Fault, SheetSource, SlugPlace, TestSource } from '../../../../domain/content/types.js'
import type { Incoming, IncomingDeck } from '../../../../domain/content/upload/incoming.js'
import { MAX_PICTURE_BYTES, MISSING_PICTURE, PICTURE_TOO_LARGE } from '../../../../domain/pictures/index.js'
import { InvalidInput } from '../../../../domain/refusal.js'
import { DECKS, type Kind, SHEETS, TESTS, warnOfMisplacedFiles } from '../../folder/find-files.js'
import { type FileText, FolderPictures, type FoundPicture } from '../../folder/pictures.js'
import { introductionOf, textOf, textsOf } from '../../folder/read.js'
import { Findings } from './findings.js'
import { LIMITS } from './limits.js'
import type { ReadOptions } from './options.js'
import { PictureStore } from './picture-store.js'
import type { Zip } from './zip.js'

const MEGABYTE = 2 ** 20
const DECK = /^decks\/[^/.][^/]*\.md$/
const TEST = /^tests\/[^/.][^/]*\.md$/
const SHEET = /^cheatsheets\/(?:[^/.][^/]*\/)*[^/.][^/]*\.md$/

/**
 * Returns the path of the content folder in an archive: an empty string for the top level or, as in archives from
 * GitHub, the name of the only top folder with a trailing `/`. Returns undefined if the archive has no content folder.
 */
export function findRoot(zip: Zip): string | undefined {
  const names = zip.names.filter((name) => !name.startsWith('__MACOSX/'))
  if (names.some(isContent)) return ''
  const root = /^[^/]+\//.exec(names[0] ?? '')?.[0]
  if (root === undefined || !names.every((name) => name.startsWith(root))) return undefined
  return names.some((name) => isContent(name.slice(root.length))) ? root : undefined
}

/** Entries to ignore: folders, hidden files and other files that file managers add to an archive */
export const LEFTOVER = /^__MACOSX\/|(?:^|\/)(?:\.[^/]*|Thumbs\.db|desktop\.ini)$|\/$/i
const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i
const README = /^readme\./i

/**
 * Returns the path of the folder with the Markdown files of an archive without `decks/` and `cheatsheets/`: an empty
 * string, or a name with a trailing `/`. Returns undefined if there are no such files, or if the archive also contains
 * files other than pictures and readme files.
 */
export function findFlatRoot(zip: Zip): string | undefined {
  const names = zip.names.filter((name) => !LEFTOVER.test(name))
  const folder = /^[^/]+\//.exec(names[0] ?? '')?.[0] ?? ''
  const root = names.every((name) => name.startsWith(folder)) ? folder : ''
  const inside = names.map((name) => name.slice(root.length))
  const isFlat = inside.some(isFlatMarkdown) && inside.every((name) => isFlatMarkdown(name) || isBeside(name))
  return isFlat ? root : undefined
}

function isFlatMarkdown(name: string): boolean {
  return /^[^/]+\.md$/.test(name) && !README.test(name)
}

function isBeside(name: string): boolean {
  return PICTURE.test(name) || README.test(name)
}

/** Returns whether Markdown contains the heading `### Antwort` or a comment with an id, as files of decks do. */
function hasCards(bytes: Uint8Array): boolean {
  return /^(?:### Antwort[ \t]*\r?$|<!--\s*id:)/m.test(Buffer.from(bytes).toString())
}

/**
 * Reads an archive of Markdown files without content folders. Files with cards are decks, the others cheat sheets;
 * readme files are ignored.
 * @throws the refusals of `readArchive`
 */
export async function readFlatArchive(zip: Zip, root: string, options: ReadOptions): Promise<Incoming> {
  refuseDeck(options)
  const reader = new ArchiveReader(zip, root, options)
  const decks: IncomingDeck[] = []
  const sheets: SheetSource[] = []
  const paths = zip.names.filter((name) => name.startsWith(root)).map((name) => name.slice(root.length))
  for (const path of paths.filter((path) => isFlatMarkdown(path) && !path.startsWith('.')).sort(compareText)) {
    if (hasCards(await zip.readBytes(root + path, DECKS.maxMegabytes * MEGABYTE))) {
      decks.push(...(await reader.readDeck(path)))
    } else sheets.push(...(await reader.readSheet(path)))
  }
  return { kind: 'archive', decks, sheets, ...reader.finish([]) }
}

function refuseDeck({ deck }: ReadOptions): void {
  if (deck === undefined) return
  throw new InvalidInput('Ein Archiv sagt selbst, in welchen Decks seine Karten stehen: bitte ohne „Deck“')
}

function isContent(name: string): boolean {
  return DECK.test(name) || SHEET.test(name) || TEST.test(name)
}

/**
 * Reads an archive of a content folder.
 * @param root path of the folder in the archive: empty, or with a trailing `/`
 * @throws FaultyContent if a file has faults
 * @throws InvalidInput if the options contain a deck
 * @throws DamagedPackage if an entry cannot be read
 * @throws FileTooLarge, MediaFull if a limit is exceeded
 */
export async function readArchive(zip: Zip, root: string, options: ReadOptions): Promise<Incoming> {
  refuseDeck(options)
  const reader = new ArchiveReader(zip, root, options)
  const paths = zip.names.filter((name) => name.startsWith(root)).map((name) => name.slice(root.length))
  paths.sort(compareText)
  const decks: IncomingDeck[] = []
  const sheets: SheetSource[] = []
  const tests: TestSource[] = []
  for (const path of paths) {
    if (DECK.test(path)) decks.push(...(await reader.readDeck(path)))
    else if (SHEET.test(path)) sheets.push(...(await reader.readSheet(path)))
    else if (TEST.test(path)) tests.push(...(await reader.readTest(path)))
  }
  return { kind: 'archive', decks, sheets, tests, ...reader.finish(paths) }
}

class ArchiveReader {
  readonly #zip: Zip
  readonly #root: string
  readonly #level: string | undefined
  readonly #findings = new Findings()
  readonly #store: PictureStore
  readonly #pictures: FolderPictures
  readonly #slugs: { decks: SlugPlace[]; sheets: SlugPlace[]; tests: SlugPlace[] } = {
    decks: [],
    sheets: [],
    tests: [],
  }
  #bytes = 0

  constructor(zip: Zip, root: string, { workFolder, maxPictureBytes, level }: ReadOptions) {
    this.#zip = zip
    this.#root = root
    this.#level = level
    this.#store = new PictureStore(workFolder, maxPictureBytes)
    this.#pictures = new FolderPictures((path) => this.#readPicture(path))
  }

  async readDeck(path: string): Promise<IncomingDeck[]> {
    const bytes = await this.#read(path, DECKS)
    const { deck, slug, faults } = parseDeck(path, bytes)
    for (const { line, message } of faults) this.#findings.fault(path, line, message)
    if (slug !== undefined) this.#slugs.decks.push(slug)
    if (deck === undefined) return []
    await this.#placePictures(path, bytes, textsOf(deck))
    return [this.#toIncoming(deck)]
  }

  async readSheet(path: string): Promise<SheetSource[]> {
    const bytes = await this.#read(path, SHEETS)
    const { sheet, slug, faults } = parseSheet(path, bytes)
    for (const { line, message } of faults) this.#findings.fault(path, line, message)
    if (slug !== undefined) this.#slugs.sheets.push(slug)
    if (sheet === undefined) return []
    await this.#placePictures(path, bytes, [textOf(sheet)])
    return [sheet]
  }

  async readTest(path: string): Promise<TestSource[]> {
    const bytes = await this.#read(path, TESTS)
    const { test, slug, faults } = parseTest(path, bytes)
    for (const { line, message } of faults) this.#findings.fault(path, line, message)
    if (slug !== undefined) this.#slugs.tests.push(slug)
    if (test === undefined) return []
    await this.#placePictures(path, bytes, introductionOf(test))
    return [test]
  }

  finish(paths: readonly string[]): Pick<Incoming, 'pictures' | 'warnings' | 'warningsTotal'> {
    for (const places of Object.values(this.#slugs)) {
      this.#findings.faults.push(...findDuplicateSlugs(places))
    }
    this.#findings.throwFaults()
    const misplaced: Parameters<typeof warnOfMisplacedFiles>[1] = []
    warnOfMisplacedFiles(
      paths.filter((path) => !path.includes('/')),
      misplaced,
    )
    for (const { file, line, message } of misplaced) this.#findings.warn(file, line, message)
    return { pictures: this.#store.pictures, ...this.#findings.warnings }
  }

  async #read(path: string, { maxMegabytes }: Kind): Promise<Buffer> {
    const limit = Math.min(maxMegabytes * MEGABYTE, LIMITS.archiveBytes - this.#bytes)
    const bytes = await this.#zip.readBytes(this.#root + path, limit)
    this.#bytes += bytes.length
    return bytes
  }

  async #placePictures(path: string, bytes: Uint8Array, texts: readonly FileText[]): Promise<void> {
    const faults: Fault[] = []
    await this.#pictures.place(path, bytes, texts, faults)
    for (const { file, line, message } of faults) this.#findings.fault(file, line, message, 'picture')
  }

  async #readPicture(path: string): Promise<FoundPicture> {
    const name = this.#root + path
    if (!this.#zip.has(name)) return MISSING_PICTURE
    const bytes = await this.#zip.readBytes(name, MAX_PICTURE_BYTES).catch((error: unknown) => {
      if (error instanceof EntryTooLarge) return undefined
      throw error
    })
    return bytes === undefined ? PICTURE_TOO_LARGE : this.#store.keep(bytes)
  }

  #toIncoming({ file, aliases, cards, ...deck }: DeckSource): IncomingDeck {
    const renamed = cards.filter((card) => card.aliases.length > 0).length + aliases.length
    if (renamed > 0) this.#findings.warn(file, 1, '„aliases“ gelten nur im Ordner der Inhalte, nicht in einem Archiv')
    return {
      ...deck,
      file,
      cards: cards.map(({ key, aliases: _, ...card }) => {
        this.#findings.countCard(card)
        return { ...card, identity: { by: 'id', id: key }, level: this.#level ?? card.level, file }
      }),
    }
  }
}
