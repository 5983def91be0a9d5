import { CardTemplates } from '../../../domain/anki/card-templates.js'
import { tidyDeckName } from '../../../domain/anki/deck-name.js'
import { splitGuid } from '../../../domain/anki/guid.js'
import { cutLabel } from '../../../domain/anki/label.js'
import { levelOf } from '../../../domain/anki/level.js'
import type { Collection } from '../../../domain/anki/note-type.js'
import { withoutRoot } from '../../../domain/anki/package-decks.js'
import { MODEL_ID } from '../../../domain/anki/package-schema.js'
import { behindAnswerLine, renderCard, SKIPPED_OCCLUSION, withoutQuestion } from '../../../domain/anki/render-card.js'
import type { Incoming, IncomingCard, IncomingDeck } from '../../../domain/content/incoming.js'
import { mediaTarget } from '../../../domain/content/pictures.js'
import { type Converted, type ConvertOptions, convertHtml } from '../../../domain/markup/convert.js'
import type { StyleSheet } from '../../../domain/markup/looks.js'
import { FILE_TOO_LARGE } from '../../../domain/refusals.js'
import { isStorable, shorten } from '../../../domain/text/text.js'
import { compareText } from '../find-files.js'
import { Findings } from './findings.js'
import { LIMITS } from './limits.js'
import { AnkiDatabase, type CardRow, MAX_GUID_LENGTH } from './open-collection.js'
import type { ReadOptions } from './options.js'
import { PackagePictures } from './package-pictures.js'
import { PictureStore } from './picture-store.js'
import { unpackCollection } from './unpack-collection.js'
import type { Zip } from './zip.js'

/** The only note of the second collection of newer packages; some programs write it into the first. */
const PLACEHOLDER = 'Please update to the latest Anki version'

/**
 * Reads an Anki package.
 * @throws FaultyContent with every fault; DamagedPackage, NOT_A_PACKAGE, PACKAGE_TOO_NEW, FILE_TOO_LARGE
 */
export async function readAnki(zip: Zip, options: ReadOptions): Promise<Incoming> {
  const unpacked = await unpackCollection(zip, options.workFolder)
  const store = new PictureStore(options.workFolder, options.maxPictureBytes)
  const database = new AnkiDatabase(unpacked)
  try {
    if (database.countCards() > LIMITS.cards) throw FILE_TOO_LARGE
    const reader = new Reader(database.readCollection(), new PackagePictures(zip, unpacked, store), options)
    for (const card of database.readCards()) await reader.add(card)
    return { kind: 'anki', ...reader.finish(), sheets: [], pictures: store.pictures }
  } finally {
    database.close()
  }
}

/** Why a card without that side is left out. */
function blankSide(side: string, { sounds, missing }: Converted): string {
  return sounds + missing.length === 0
    ? `die ${side} ist leer`
    : `auf der ${side} steht nur, was fehlt (Ton, Video oder Bild)`
}

/** HTML and how it looks. */
interface Rendered {
  question: string
  answer: string
  styles: StyleSheet | undefined
}

/** Whether a package of our own brought it, perhaps by way of Anki. */
function isOurs({ noteType }: CardRow): boolean {
  return noteType === String(MODEL_ID)
}

class Reader {
  readonly #collection: Collection
  readonly #pictures: PackagePictures
  readonly #options: ReadOptions
  readonly #levels: ReadonlySet<string>
  readonly #findings = new Findings()
  readonly #decks = new Map<string, IncomingDeck>()
  readonly #templates = new CardTemplates()
  readonly #seen = new Set<string>()
  #learned = 0
  #suspended = 0
  #sounds = 0
  #covered = 0

  constructor(collection: Collection, pictures: PackagePictures, options: ReadOptions) {
    this.#collection = collection
    this.#pictures = pictures
    this.#options = options
    this.#levels = new Set(options.levels)
  }

  async add(row: CardRow): Promise<void> {
    const deck = this.#deckOf(row)
    const name = shorten(row.guid ?? row.noteId, MAX_SHOWN)
    const place = `${deck ?? shorten(row.deckId, MAX_SHOWN)}/${name}`
    const type = this.#collection.noteTypes.get(row.noteType ?? '')
    const note = `Notiz ${name}`
    if (row.guid === null) return this.#findings.fault(place, 0, `${note}: die Karte hat keine Notiz`)
    if (type === undefined) return this.#findings.fault(place, 0, `${note}: ihr Notiztyp fehlt im Paket`)
    if (deck === undefined) return this.#findings.fault(place, 0, `${note}: ihr Deck fehlt im Paket`)
    if (row.guid === '' || Buffer.byteLength(row.guid) > MAX_GUID_LENGTH || !isStorable(row.guid)) {
      return this.#skip(place, `die Kennung ihrer Notiz (guid) fehlt oder ist länger als ${MAX_GUID_LENGTH} Bytes`)
    }
    if (row.fields === null) return this.#skip(place, 'ein Feld ist länger als 1 MB')
    const fields = row.fields.split('\x1f')
    if (fields[0]?.startsWith(PLACEHOLDER)) return this.#skip(place, 'es ist die Notiz, die ein neueres Anki verlangt')
    if (fields.length !== type.fields.length) {
      return this.#findings.fault(place, 0, `${note} hat ${fields.length} statt ${type.fields.length} Felder`)
    }
    const key = `${row.guid}\x1f${row.ord}`
    if (this.#seen.has(key)) return this.#skip(place, 'dieselbe Karte steht schon im Paket')
    this.#seen.add(key)
    if (fields.some((field) => field.length > LIMITS.fieldLength))
      return this.#skip(place, 'ein Feld ist länger als 1 MB')
    const template = this.#templates.find(type, row.ord)
    if (template === undefined) return this.#skip(place, 'ihre Vorlage fehlt')
    const rendered = renderCard(type, template, template.parsed, { fields, tags: row.tags }, row.ord, deck)
    if ('skipped' in rendered) {
      if (rendered.skipped === SKIPPED_OCCLUSION) this.#covered++
      else this.#skip(place, rendered.skipped)
      return
    }
    await this.#addCard(row, row.guid, deck, place, { ...rendered, styles: template.styles })
  }

  finish(): Pick<Incoming, 'decks' | 'warnings' | 'warningsTotal'> {
    this.#findings.throwFaults()
    const summaries: [number, string][] = [
      [this.#learned, 'Karten haben einen Lernstand; er wird nicht übernommen'],
      [this.#suspended, 'Karten sind ausgesetzt; sie werden wie andere übernommen'],
      [this.#sounds, 'Töne oder Filme fehlen; ihr Name steht im Text'],
      [this.#covered, 'Karten verdecken Teile eines Bildes (Image Occlusion); sie werden nicht übernommen'],
    ]
    for (const [count, text] of summaries) {
      if (count > 0) this.#findings.summarise(this.#options.fileName, `${count} ${text}`)
    }
    const decks = [...this.#decks.values()].sort((a, b) => compareText(a.name, b.name))
    return { decks, ...this.#findings.warnings }
  }

  async #addCard(row: CardRow, guid: string, deck: string, place: string, html: Rendered) {
    // The question tells nothing that is hidden; on the back nothing opens, so it stands there.
    const front = { styles: html.styles, showsHidden: false }
    const back = { styles: html.styles, showsHidden: true }
    let question = await this.#convert(html.question, front)
    if (question.isBlank) question = await this.#convert(html.question, back)
    if (question.isTooLong) return this.#skip(place, TOO_LONG)
    if (question.isBlank) return this.#skip(place, blankSide('Vorderseite', question))
    const below = behindAnswerLine(html.answer)
    let answer = below === undefined ? undefined : await this.#convert(below, back)
    if (answer === undefined || answer.isBlank) {
      answer = await this.#convert(html.answer, back)
      answer = { ...answer, markdown: withoutQuestion(answer.markdown, question.markdown) }
    }
    if (answer.isTooLong) return this.#skip(place, TOO_LONG)
    if (answer.isBlank) return this.#skip(place, blankSide('Rückseite', answer))
    for (const side of [question, answer]) {
      this.#sounds += side.sounds
    }
    if (row.isLearned) this.#learned++
    if (row.isSuspended) this.#suspended++
    this.#findings.countCard(question.markdown, answer.markdown)
    const { cards } = this.#getDeck(deck)
    const card: IncomingCard = {
      identity: { by: 'note', ...(isOurs(row) ? splitGuid(guid) : { guid, ord: row.ord }) },
      question: question.markdown,
      answer: answer.markdown,
      level: this.#options.level ?? cutLabel(levelOf(row.tags, this.#levels)),
      file: '',
      line: 0,
    }
    cards.push(card)
  }

  /** Pictures are unpacked when a text names them, so a text with new ones is converted again. */
  async #convert(html: string, looks: Pick<ConvertOptions, 'styles' | 'showsHidden'>): Promise<Converted> {
    for (;;) {
      const wanted = new Set<string>()
      const picture = (src: string) => {
        const kept = this.#pictures.find(src)
        if (kept === undefined) wanted.add(src)
        return kept === undefined || typeof kept === 'string' ? undefined : mediaTarget(kept)
      }
      const converted = convertHtml(html, { ...looks, picture, maxLength: LIMITS.cardLength })
      if (wanted.size === 0) return converted
      for (const src of wanted) {
        await this.#pictures.unpack(src)
        const kept = this.#pictures.find(src)
        if (typeof kept === 'string') {
          this.#findings.warn(this.#options.fileName, 0, `Das Bild „${src.slice(0, 200)}“ ${kept}`)
        }
      }
    }
  }

  #skip(place: string, reason: string): void {
    this.#findings.warn(place, 0, `Die Karte wird nicht übernommen: ${reason}`)
  }

  /** The name of its deck; of a borrowed card that where it belongs. */
  #deckOf(row: CardRow): string | undefined {
    const { deckId, homeId } = row
    const { decks } = this.#collection
    const deck = decks.get(homeId === '0' ? deckId : homeId) ?? decks.get(deckId)
    if (deck === undefined || this.#options.deck !== undefined) return deck && this.#options.deck
    // Cut before, too: this is done for each card.
    const name = tidyDeckName(deck.name.slice(0, MAX_RAW_NAME))
    return cutLabel(isOurs(row) ? withoutRoot(name) : name)
  }

  #getDeck(name: string): IncomingDeck {
    let deck = this.#decks.get(name)
    if (deck === undefined) {
      deck = { name, description: '', slug: null, sort_order: null, cards: [] }
      this.#decks.set(name, deck)
    }
    return deck
  }
}

/** Characters of a deck's name that are looked at. */
const MAX_RAW_NAME = 2_000
/** Characters of a name in a message. */
const MAX_SHOWN = 100
const TOO_LONG = 'der Text ist zu lang'
