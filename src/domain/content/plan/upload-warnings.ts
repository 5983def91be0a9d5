import { toPlainText } from '../../search/plain-text.js'
import { shorten } from '../../text/text.js'
import type { Warning } from '../types.js'
import type { OwnedDeck, UploadCard, UploadDeck } from './types.js'

const WORDS_LENGTH = 50
/** Cards that a warning names. */
const NAMED_CARDS = 3

/** The first words of a card, as a reader sees them. */
function wordsOf({ question, key }: UploadCard): string {
  return shorten(toPlainText(question), WORDS_LENGTH).replace(/\.\.\.$/, '…') || key
}

/** The place of a card; an Anki package has no lines, so the words of the card say which one it is. */
function placeOf(deck: UploadDeck, card: UploadCard) {
  return { file: card.file || `${deck.name}: ${wordsOf(card)}`, line: card.line }
}

/** Cards that belong to others, by the deck that they stand in and by their owner. */
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

  /** One warning for each group. */
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

/** Returns a warning that a card repeats an earlier one. */
export function warnOfTwin(deck: UploadDeck, card: UploadCard, { line }: UploadCard): Warning {
  const place = line > 0 ? ` in Zeile ${line}` : ''
  return { ...placeOf(deck, card), message: `Dieselbe Karte steht schon${place}, hier bleibt sie weg` }
}

function describeOwner({ owner, slug, is_imported }: OwnedDeck): string {
  const deck = `zum Deck „${slug}“${is_imported ? ' des Ordners' : ''}`
  return owner === null ? deck : `der Quelle „${owner}“`
}
