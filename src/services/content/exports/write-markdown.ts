import path from 'node:path'
import type { ExportedCard, ExportedSheet, ListedDeck } from '../../../../db/queries/content/export-cards.js'
import { MARKDOWN_TEXTS } from '../../../domain/content/card-texts.js'
import { CardKeys } from '../../../domain/content/format/card-keys.js'
import { FileNames } from '../../../domain/content/format/file-names.js'
import { type WrittenCard, writeCard, writeDeckHead } from '../../../domain/content/format/write-deck.js'
import { writeSheet } from '../../../domain/content/format/write-sheet.js'
import { writeTest } from '../../../domain/content/format/write-test.js'
import { escapePictures, parseMediaTarget, renamePictures, resolvePicture } from '../../../domain/pictures/index.js'
import type { Exercise } from '../../../domain/questions/exercise.js'
import type { ExportSource, WrittenTest } from './items.js'
import { ZipWriter } from './zip.js'

/** Path of the pictures, relative to `decks/`, `cheatsheets/` and `tests/` */
const PICTURES = '../bilder/'
/** Sample file for resolving picture paths; all files that show pictures are at this depth */
const FILE = 'decks/deck.md'

/** Modification time of all files; fixed, so that an unchanged archive has the same bytes */
const FIXED_TIME = new Date('2000-01-01T00:00:00Z')

type OpenText = ReturnType<ZipWriter['addText']>

/**
 * Writes a content folder as a zip. Importing the zip creates the same decks, cards, sheets and tests, with the same
 * slugs and card keys; cards without a key and cards with a repeated key get a new key. The output is deterministic.
 */
export async function writeMarkdown(source: ExportSource, folder: string): Promise<void> {
  const archive = new Archive(new ZipWriter(path.join(folder, 'export'), FIXED_TIME), source)
  for await (const item of source.items) {
    if (item.kind === 'pictures') archive.stored = item.shas
    else if (item.kind === 'deck') await archive.beginDeck(item.deck)
    else if (item.kind === 'cards') await archive.addCards(item.cards)
    else if (item.kind === 'sheets') for (const sheet of item.sheets) await archive.addSheet(sheet)
    else if (item.kind === 'test') await archive.addTest(item.test)
  }
  await archive.close()
}

class Archive {
  readonly #zip: ZipWriter
  readonly #source: ExportSource
  readonly #deckNames = new FileNames()
  readonly #sheetNames = new FileNames()
  readonly #testNames = new FileNames()
  stored: ReadonlySet<string> = new Set()
  /** SHA-256 of the shown pictures by file name */
  readonly #shown = new Map<string, string>()
  #deck: OpenText | undefined
  #keys = new CardKeys()
  #isOptionsOff = false

  constructor(zip: ZipWriter, source: ExportSource) {
    this.#zip = zip
    this.#source = source
  }

  async beginDeck(deck: Omit<ListedDeck, 'card_ids'>): Promise<void> {
    await this.#deck?.end()
    const { name, isSlug } = this.#deckNames.take(deck.slug)
    this.#keys = new CardKeys()
    this.#isOptionsOff = deck.options_off
    this.#deck = this.#zip.addText(`decks/${name}.md`)
    await this.#deck.write(writeDeckHead(deck, isSlug ? undefined : deck.slug))
  }

  async addCards(cards: readonly ExportedCard[]): Promise<void> {
    for (const card of cards) {
      const written: WrittenCard = {
        ...card,
        key: this.#keys.take(card.key, card.id),
        exercise: this.#placeExercise(card.exercise),
      }
      for (const name of MARKDOWN_TEXTS) written[name] = this.#place(card[name])
      await this.#deck?.write(`\n${writeCard(written, this.#isOptionsOff)}`)
    }
  }

  async addSheet({ slug, content_md, ...rest }: ExportedSheet): Promise<void> {
    await this.#deck?.end()
    this.#deck = undefined
    const { name, isSlug } = this.#sheetNames.take(slug)
    const sheet = { ...rest, content_md: this.#place(content_md) }
    const file = this.#zip.addText(`cheatsheets/${name}.md`)
    await file.write(writeSheet(sheet, isSlug ? undefined : slug))
    await file.end()
  }

  async addTest({ slug, definition, ...rest }: WrittenTest): Promise<void> {
    await this.#deck?.end()
    this.#deck = undefined
    const { name, isSlug } = this.#testNames.take(slug)
    const placed = { ...definition, introduction: this.#place(definition.introduction) }
    const file = this.#zip.addText(`tests/${name}.md`)
    await file.write(writeTest({ ...rest, definition: placed }, isSlug ? undefined : slug))
    await file.end()
  }

  async close(): Promise<void> {
    await this.#deck?.end()
    for (const [name, sha] of this.#shown) {
      const bytes = await this.#source.picture(sha)
      if (bytes !== undefined) await this.#zip.addBytes(bytes, `bilder/${name}`)
    }
    await this.#zip.close()
  }

  #placeExercise(exercise: Exercise | null): Exercise | null {
    if (exercise === null) return null
    const options = exercise.options.map(({ text, correct, feedback }) => ({
      text: this.#place(text),
      correct,
      feedback: feedback === null ? null : this.#place(feedback),
    }))
    return { ...exercise, options }
  }

  /**
   * Replaces the targets of stored pictures with their paths in the archive. Escapes pictures that are neither stored
   * nor addressed by a URL, because an import would report them as missing.
   */
  #place(text: string): string {
    const known = escapePictures(text, ({ target }) => {
      const picture = parseMediaTarget(target)
      return picture === undefined ? resolvePicture(FILE, target) !== undefined : !this.stored.has(picture.sha)
    })
    return renamePictures(known, ({ target }) => {
      const picture = parseMediaTarget(target)
      if (picture === undefined || !this.stored.has(picture.sha)) return undefined
      const name = `${picture.sha}.${picture.extension}`
      this.#shown.set(name, picture.sha)
      return PICTURES + name
    })
  }
}
