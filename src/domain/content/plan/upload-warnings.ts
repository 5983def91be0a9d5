import { toPlainText } from '../../search/plain-text.js'
import { shorten } from '../../text/text.js'
import type { Warning } from '../types.js'
import type { OwnedDeck, UploadCard, UploadDeck } from './types.js'

const WORDS_LENGTH = 50
/** Maximum number of cards that a warning lists */
const NAMED_CARDS = 3

/** Returns the beginning of a card's question as plain text; the key of the card if the question has no text. */
function wordsOf({ question, key }: UploadCard): string {
  return shorten(toPlainText(question), WORDS_LENGTH).replace(/\.\.\.$/, '…') || key
}

/** Returns the place of a card for a warning. In Anki packages, deck and first words of the card replace the file. */
function placeOf(deck: UploadDeck, card: UploadCard) {
  return { file: card.file || `${deck.name}: ${wordsOf(card)}`, line: card.line }
}

/** Groups cards that belong to other sources by deck and source, to report one warning per group. */
export class ForeignCards {
  readonly #groups = new Map<
    string,
    { deck: UploadDeck; owner: string; first: UploadCard; words: string[]; count: number }
  >()

  add(deck: UploadDeck, card: UploadCard, row: OwnedDeck): void {
    const owner = describeOwner(row)
    const key = JSON.stringify([card.file, deck.name, owner])
    const group = this.#groups.get(key) ?? { deck, owner, first: card, words: [], count: 0 }
    this.#groups.set(key, group)
    group.count++
    if (group.words.length < NAMED_CARDS) group.words.push(`„${wordsOf(card)}“`)
  }

  /** Returns one warning per group. */
  describe(): Warning[] {
    return [...this.#groups.values()].map(({ deck, owner, first, words, count }) => {
      const more = count > words.length ? ` und ${count - words.length} weitere` : ''
      const message =
        count === 1
          ? `Die Karte ${words[0]} gehört ${owner} und bleibt dort`
          : `${count} Karten gehören ${owner} und bleiben dort: ${words.join(', ')}${more}`
      return { file: first.file || deck.name, line: first.line, message }
    })
  }
}

/** Returns the warning that a card is omitted because it repeats an earlier card of the upload. */
export function warnOfTwin(deck: UploadDeck, card: UploadCard, { line }: UploadCard): Warning {
  const place = line > 0 ? ` in Zeile ${line}` : ''
  return { ...placeOf(deck, card), message: `Dieselbe Karte steht schon${place}, hier bleibt sie weg` }
}

function describeOwner({ owner, slug, is_imported }: OwnedDeck): string {
  const deck = `zum Deck „${slug}“${is_imported ? ' des Ordners' : ''}`
  return owner === null ? deck : `der Quelle „${owner}“`
}
