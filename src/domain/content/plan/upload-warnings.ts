import { toPlainText } from '../../search/plain-text.js'
import { shorten } from '../../text/text.js'
import type { Finding } from '../findings.js'
import type { Warning } from '../types.js'
import type { OwnedDeck, UploadCard, UploadDeck } from './types.js'

const WORDS_LENGTH = 50
const NAMED_CARDS = 3

function wordsOf({ question, key }: UploadCard): string {
  return shorten(toPlainText(question), WORDS_LENGTH).replace(/\.\.\.$/, '…') || key
}

/**
 * Returns the place of a card for a warning. For an Anki package, the deck name and the first words of the card replace
 * the file name.
 */
function placeOf(deck: UploadDeck, card: UploadCard) {
  return { file: card.file || `${deck.name}: ${wordsOf(card)}`, line: card.line }
}

/** Groups cards of other owners by file, deck and owner, and returns one warning per group. */
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

export function warnOfDuplicate(deck: UploadDeck, card: UploadCard, { line }: UploadCard): Finding {
  const place = line > 0 ? ` in Zeile ${line}` : ''
  return {
    ...placeOf(deck, card),
    kind: 'duplicate',
    message: `Dieselbe Karte steht schon${place}, hier bleibt sie weg`,
  }
}

function describeOwner({ owner, slug, is_imported }: OwnedDeck): string {
  const deck = `zum Deck „${slug}“${is_imported ? ' des Ordners' : ''}`
  return owner === null ? deck : `der Quelle „${owner}“`
}
