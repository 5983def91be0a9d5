import path from 'node:path'
import type { ExportedCard, ExportedReview } from '../../../../db/queries/content/export-cards.js'
import {
  FreeIds,
  type LearnerParameters,
  learnedCardRow,
  newCardRow,
  noteRow,
  PackageDecks,
  type Pictures,
  reviewRow,
  toFieldHtml,
} from '../../../domain/anki/index.js'
import { showGaps } from '../../../domain/questions/exercise.js'
import type { ExportSource } from './items.js'
import { PackageDatabase } from './package-database.js'
import { ZipWriter } from './zip.js'

export interface PackageOptions {
  now: Date
  /** Start of the day from which due dates count, in Unix seconds, and its time zone in minutes west of UTC */
  created: { seconds: number; minutesWest: number }
  /** Parameters of the learner whose progress is exported, with desired retentions by deck slug; null: no progress */
  learner: (LearnerParameters & { byDeck: Record<string, number> }) | null
}

/**
 * Writes an Anki package. It contains a collection of new cards and, with progress, a second collection, which newer
 * versions of Anki read instead.
 */
export async function writeApkg(source: ExportSource, folder: string, options: PackageOptions): Promise<void> {
  const collections = new Collections(folder, options)
  for await (const item of source.items) {
    if (item.kind === 'pictures') collections.pictures.stored = item.shas
    else if (item.kind === 'deck') collections.beginDeck(item.deck)
    else if (item.kind === 'cards') for (const card of item.cards) collections.addCard(card)
    else if (item.kind === 'reviews') for (const review of item.reviews) collections.addReview(review)
  }
  const files = collections.close()
  const zip = new ZipWriter(path.join(folder, 'export'))
  for (const name of files) zip.addFile(path.join(folder, name), name)
  const media: Record<string, string> = {}
  let count = 0
  for (const [name, sha] of collections.pictures.shown) {
    const bytes = await source.picture(sha)
    // The picture may have been deleted in the meantime.
    if (bytes === undefined) continue
    const number = String(count++)
    await zip.addBytes(bytes, number)
    media[number] = name
  }
  await zip.addBytes(Buffer.from(JSON.stringify(media)), 'media')
  await zip.close()
}

class Collections {
  readonly pictures: Pictures = { stored: new Set(), shown: new Map() }
  readonly #decks = new PackageDecks()
  readonly #options: PackageOptions
  readonly #plain: PackageDatabase
  readonly #learned: PackageDatabase | undefined
  readonly #cardIds = new Set<number>()
  readonly #reviewIds = new FreeIds()
  #deckId = 0
  /** Desired retention of the current deck; undefined if the general setting applies */
  #retention: number | undefined
  #position = 0

  constructor(folder: string, options: PackageOptions) {
    this.#options = options
    this.#plain = new PackageDatabase(path.join(folder, 'collection.anki2'))
    if (options.learner !== null) this.#learned = new PackageDatabase(path.join(folder, 'collection.anki21'))
  }

  beginDeck({ name, slug }: { name: string; slug: string }): void {
    this.#deckId = this.#decks.add(name, slug)
    this.#retention = this.#options.learner?.byDeck[slug]
  }

  addCard(card: ExportedCard): void {
    this.#position++
    const answer = showGaps(card.answer, card.exercise?.form)
    const note = noteRow(card, toFieldHtml(card.question, this.pictures), toFieldHtml(answer, this.pictures))
    this.#plain.addNote(note)
    this.#plain.addCard(newCardRow(card, this.#deckId, this.#position))
    const { learner } = this.#options
    if (this.#learned === undefined || learner === null) return
    this.#cardIds.add(card.id)
    this.#learned.addNote(note)
    this.#learned.addCard(
      learnedCardRow(card, this.#deckId, this.#position, {
        ...learner,
        retention: this.#retention ?? learner.retention,
      }),
    )
  }

  addReview(review: ExportedReview): void {
    if (!this.#cardIds.has(review.card_id)) return
    const id = this.#reviewIds.take(review.created_at.getTime())
    this.#learned?.addReview(reviewRow(review, id))
  }

  close(): string[] {
    const { now, created } = this.#options
    const collection = { now, created, decks: this.#decks.list(), nextPosition: this.#position + 1 }
    this.#plain.close({ ...collection, scheduler: 1 })
    if (this.#learned === undefined) return ['collection.anki2']
    this.#learned.close({ ...collection, scheduler: 2 })
    return ['collection.anki2', 'collection.anki21']
  }
}
