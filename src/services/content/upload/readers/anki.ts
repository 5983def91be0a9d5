import {
  addsWords,
  type CardTemplate,
  type Collection,
  Levels,
  levelOf,
  MODEL_ID,
  type NoteType,
  normalizeDeckName,
  ownLevelOf,
  type ParsedTemplate,
  parseSides,
  renderCard,
  SKIPPED_OCCLUSION,
  splitAtAnswerLine,
  splitGuid,
  withoutQuestion,
  withoutRootDeck,
} from '../../../../domain/anki/index.js'
import { compareText } from '../../../../domain/content/findings.js'
import {
  getOrCreateDeck,
  type Incoming,
  type IncomingCard,
  type IncomingDeck,
} from '../../../../domain/content/upload/incoming.js'
import type { StyleSheet } from '../../../../domain/markup/index.js'
import {
  type Converted,
  type ConvertOptions,
  convertHtml,
  readStyleSheet,
  stylesIn,
} from '../../../../domain/markup/index.js'
import { mediaTarget } from '../../../../domain/pictures/index.js'
import { cutLabel, MAX_SIDE_LENGTH } from '../../../../domain/text/limits.js'
import { isStorable, shorten } from '../../../../domain/text/text.js'
import { type AnkiCardRow, AnkiDatabase, MAX_GUID_LENGTH } from './anki-database.js'
import { unpackCollection } from './anki-package.js'
import { PackagePictures } from './anki-pictures.js'
import { Findings } from './findings.js'
import { LeftOutCards } from './left-out-cards.js'
import { LIMITS, TOO_MANY_CARDS_IN_FILE } from './limits.js'
import type { ReadOptions } from './options.js'
import { PictureStore } from './picture-store.js'
import type { Zip } from './zip.js'

/**
 * Start of the only note in the collection that newer packages contain for old versions of Anki. Some programs also
 * write this note into the other collection.
 */
const PLACEHOLDER = 'Please update to the latest Anki version'

/**
 * Reads an Anki package.
 * @throws FaultyContent if a note has faults
 * @throws NOT_A_PACKAGE, PACKAGE_TOO_NEW, DamagedPackage if the package has no collection, is too new or is not
 * readable
 * @throws FileTooLarge, MediaFull if a limit of `LIMITS` or `maxPictureBytes` is exceeded
 */
export async function readAnki(zip: Zip, options: ReadOptions): Promise<Incoming> {
  const unpacked = await unpackCollection(zip, options.workFolder)
  const store = new PictureStore(options.workFolder, options.maxPictureBytes)
  const database = new AnkiDatabase(unpacked)
  try {
    if (database.countCards() > LIMITS.cards) throw TOO_MANY_CARDS_IN_FILE
    const reader = new Reader(database.readCollection(), new PackagePictures(zip, unpacked, store), options)
    for (const card of database.readCards()) await reader.add(card)
    return { kind: 'anki', ...reader.finish(), sheets: [], pictures: store.pictures }
  } finally {
    database.close()
  }
}

/** Returns the reason for skipping a card with a blank side, as part of a German sentence. */
function blankSide(side: string, { sounds, missing }: Converted): string {
  return sounds + missing.length === 0
    ? `die ${side} ist leer`
    : `auf der ${side} steht nur, was fehlt (Ton, Video oder Bild)`
}

interface ReadTemplate extends CardTemplate {
  parsed: ParsedTemplate
  styles: StyleSheet | undefined
}

/** Returns the template of a card. A cloze note type has one template for all its cards. */
function findTemplate({ isCloze, templates }: NoteType, ord: number): CardTemplate | undefined {
  return isCloze ? templates[0] : templates.find((one) => one.ord === ord)
}

function readTemplate({ css }: NoteType, template: CardTemplate): ReadTemplate {
  const styles = readStyleSheet([css, stylesIn(template.front), stylesIn(template.back)].join('\n'))
  return { ...template, parsed: parseSides(template), styles }
}

interface Rendered {
  question: string
  answer: string
  styles: StyleSheet | undefined
}

/** A function that skips a card; the reason is part of a German sentence. */
type Skip = (reason: string) => void

/** Returns whether a note has the note type of this service's exports; an export from Anki preserves the type. */
function isOurs({ noteType }: AnkiCardRow): boolean {
  return noteType === String(MODEL_ID)
}

class Reader {
  readonly #collection: Collection
  readonly #pictures: PackagePictures
  readonly #options: ReadOptions
  readonly #levels: Levels
  readonly #findings = new Findings()
  readonly #leftOut = new LeftOutCards()
  readonly #decks = new Map<string, IncomingDeck>()
  readonly #templates = new Map<CardTemplate, ReadTemplate>()
  readonly #seen = new Set<string>()
  /** Positions of the cards that this service has exported; null if unknown */
  readonly #positions = new Map<IncomingCard, number | null>()
  #learned = 0
  #suspended = 0
  #sounds = 0
  #covered = 0

  constructor(collection: Collection, pictures: PackagePictures, options: ReadOptions) {
    this.#collection = collection
    this.#pictures = pictures
    this.#options = options
    this.#levels = new Levels(options.levels)
  }

  async add(row: AnkiCardRow): Promise<void> {
    const deck = this.#deckOf(row)
    const name = shorten(row.guid ?? row.noteId, MAX_SHOWN)
    const place = `${deck ?? shorten(row.deckId, MAX_SHOWN)}/${name}`
    const type = this.#collection.noteTypes.get(row.noteType ?? '')
    const note = `Notiz ${name}`
    if (row.guid === null) return this.#findings.fault(place, 0, `${note}: die Karte hat keine Notiz`, 'note')
    if (type === undefined) return this.#findings.fault(place, 0, `${note}: ihr Notiztyp fehlt im Paket`, 'note type')
    if (deck === undefined) return this.#findings.fault(place, 0, `${note}: ihr Deck fehlt im Paket`, 'deck')
    const fields = (row.fields ?? '').replaceAll('\0', '').split('\x1f')
    const skip: Skip = (reason) => this.#leftOut.add(deck, { fields, guid: name }, reason)
    if (row.guid === '' || Buffer.byteLength(row.guid) > MAX_GUID_LENGTH || !isStorable(row.guid)) {
      return skip(`die Kennung ihrer Notiz (guid) fehlt oder ist länger als ${MAX_GUID_LENGTH} Bytes`)
    }
    if (row.fields === null) return skip('ein Feld ist länger als 1 MB')
    if (row.fields.includes('\0')) this.#findings.warn(place, 0, 'Ein NUL-Zeichen im Text wird nicht übernommen')
    if (fields[0]?.startsWith(PLACEHOLDER)) return skip('es ist die Notiz, die ein neueres Anki verlangt')
    if (fields.length !== type.fields.length) {
      const message = `${note} hat ${fields.length} statt ${type.fields.length} Felder`
      return this.#findings.fault(place, 0, message, 'fields')
    }
    const key = `${row.guid}\x1f${row.ord}`
    if (this.#seen.has(key)) return skip('dieselbe Karte steht schon im Paket')
    this.#seen.add(key)
    if (fields.some((field) => field.length > LIMITS.fieldLength)) return skip('ein Feld ist länger als 1 MB')
    const found = findTemplate(type, row.ord)
    if (found === undefined) return skip('ihre Vorlage fehlt')
    const template = this.#templates.get(found) ?? readTemplate(type, found)
    this.#templates.set(found, template)
    const rendered = renderCard(type, template, template.parsed, { fields, tags: row.tags }, row.ord, deck)
    if ('skipped' in rendered) {
      if (rendered.skipped === SKIPPED_OCCLUSION) this.#covered++
      else skip(rendered.skipped)
      return
    }
    await this.#addCard(row, row.guid, deck, skip, { ...rendered, styles: template.styles })
  }

  finish(): Pick<Incoming, 'decks' | 'warnings' | 'warningsTotal'> {
    this.#findings.throwFaults()
    this.#leftOut.describe(this.#findings)
    const summaries: [count: number, one: string, many: string][] = [
      [
        this.#learned,
        'Eine Karte hat einen Lernstand; er wird nicht übernommen',
        'Karten haben einen Lernstand; er wird nicht übernommen',
      ],
      [
        this.#suspended,
        'Eine Karte ist ausgesetzt; sie wird wie andere übernommen',
        'Karten sind ausgesetzt; sie werden wie andere übernommen',
      ],
      [
        this.#sounds,
        'Ein Ton oder Film fehlt; sein Name steht im Text',
        'Töne oder Filme fehlen; ihr Name steht im Text',
      ],
      [
        this.#covered,
        'Eine Karte verdeckt Teile eines Bildes (Image Occlusion); sie wird nicht übernommen',
        'Karten verdecken Teile eines Bildes (Image Occlusion); sie werden nicht übernommen',
      ],
    ]
    for (const [count, one, many] of summaries) {
      if (count > 0) this.#findings.summarise(this.#options.fileName, count === 1 ? one : `${count} ${many}`)
    }
    for (const deck of this.#decks.values()) this.#order(deck)
    const decks = [...this.#decks.values()].sort((a, b) => compareText(a.name, b.name))
    return { decks, ...this.#findings.warnings }
  }

  /** Restores the order of an exported deck. The notes are read in the order of their ids, which a moved card keeps. */
  #order({ cards }: IncomingDeck): void {
    const positionOf = (card: IncomingCard) => this.#positions.get(card) ?? null
    if (cards.some((card) => positionOf(card) === null)) return
    cards.sort((one, other) => (positionOf(one) ?? 0) - (positionOf(other) ?? 0))
  }

  async #addCard(row: AnkiCardRow, guid: string, deck: string, skip: Skip, html: Rendered) {
    // Content that Anki shows on click is left out of the question and added to the answer.
    const front = { styles: html.styles, showsHidden: false }
    const back = { styles: html.styles, showsHidden: true }
    let question = await this.#convert(html.question, front)
    if (question.isBlank) question = await this.#convert(html.question, back)
    if (question.isTooLong) return skip(TOO_LONG)
    if (question.isBlank) return skip(blankSide('Vorderseite', question))
    let answer = await this.#convertBelow(html, question.markdown)
    if (answer === undefined || answer.isBlank) {
      answer = await this.#convert(html.answer, back)
      answer = { ...answer, markdown: withoutQuestion(answer.markdown, question.markdown) }
    }
    if (question.isPartial) answer = await this.#addHidden(answer, question.markdown, html)
    if (answer.isTooLong) return skip(TOO_LONG)
    if (answer.isBlank) return skip(blankSide('Rückseite', answer))
    for (const side of [question, answer]) {
      this.#sounds += side.sounds
    }
    if (row.isLearned) this.#learned++
    if (row.isSuspended) this.#suspended++
    this.#findings.countCard({ question: question.markdown, answer: answer.markdown })
    const { cards } = getOrCreateDeck(this.#decks, deck)
    const card: IncomingCard = {
      identity: { by: 'note', ...(isOurs(row) ? splitGuid(guid) : { guid, ord: row.ord }) },
      question: question.markdown,
      answer: answer.markdown,
      level:
        this.#options.level ??
        cutLabel(isOurs(row) ? ownLevelOf(row.tags, this.#levels) : levelOf(row.tags, this.#levels)),
      file: '',
      line: 0,
    }
    cards.push(card)
    if (isOurs(row)) this.#positions.set(card, row.position)
  }

  /**
   * Adds hidden content of the question, such as a hint that Anki shows on click, to the answer. Returns the answer
   * unchanged if the visible question and the answer already contain the hidden words, or the complete question is too
   * long.
   */
  async #addHidden(answer: Converted, question: string, html: Rendered): Promise<Converted> {
    const whole = await this.#convert(html.question, { styles: html.styles, showsHidden: true })
    if (whole.isTooLong || !addsWords(whole.markdown, `${question} ${answer.markdown}`)) return answer
    const hidden = whole.markdown.startsWith(question) ? whole.markdown.slice(question.length).trim() : whole.markdown
    const markdown = `${answer.markdown}\n\n${hidden}`
    return { ...answer, markdown, isTooLong: markdown.length > MAX_SIDE_LENGTH }
  }

  /**
   * Converts the part of the answer below the answer line. Returns undefined if there is no answer line, or if the
   * part above it contains more than the question.
   */
  async #convertBelow({ answer, styles }: Rendered, question: string): Promise<Converted | undefined> {
    const [above, below] = splitAtAnswerLine(answer) ?? []
    if (above === undefined || below === undefined) return undefined
    const visible = await this.#convert(above, { styles, showsHidden: false })
    return addsWords(visible.markdown, question) ? undefined : this.#convert(below, { styles, showsHidden: true })
  }

  /**
   * Converts HTML. Unpacks the pictures that it references; if some were not unpacked yet, converts the HTML again.
   */
  async #convert(html: string, options: Pick<ConvertOptions, 'styles' | 'showsHidden'>): Promise<Converted> {
    for (;;) {
      const wanted = new Set<string>()
      const picture = (src: string) => {
        const kept = this.#pictures.find(src)
        if (kept === undefined) wanted.add(src)
        return kept === undefined || typeof kept === 'string' ? undefined : mediaTarget(kept)
      }
      const converted = convertHtml(html, { ...options, picture, maxLength: MAX_SIDE_LENGTH })
      if (wanted.size === 0) return converted
      for (const src of wanted) {
        await this.#pictures.unpack(src)
        const kept = this.#pictures.find(src)
        if (typeof kept === 'string') {
          this.#findings.warn(this.#options.fileName, 0, `Das Bild „${src.slice(0, 200)}“ ${kept}`, kept)
        }
      }
    }
  }

  /**
   * Returns the name of the card's deck, or of the original deck if a filtered deck has borrowed the card. The option
   * `deck` replaces the name. Returns undefined if the deck is missing in the package.
   */
  #deckOf(row: AnkiCardRow): string | undefined {
    const { deckId, homeId } = row
    const { decks } = this.#collection
    const deck = decks.get(homeId === '0' ? deckId : homeId) ?? decks.get(deckId)
    if (deck === undefined || this.#options.deck !== undefined) return deck && this.#options.deck
    // The name is cut before it is normalised, to limit the work for each card.
    const name = normalizeDeckName(deck.name.slice(0, MAX_RAW_NAME))
    return cutLabel(isOurs(row) ? withoutRootDeck(name) : name)
  }
}

/** Maximum number of characters of a deck name that are processed */
const MAX_RAW_NAME = 2_000
const MAX_SHOWN = 100
const TOO_LONG = 'der Text ist zu lang'
