import t from 'tap'
import { digestCard } from '../../../src/domain/content/plan/digest.js'
import type { OwnedCard, OwnedDeck } from '../../../src/domain/content/plan/types.js'
import { planUpload } from '../../../src/domain/content/plan/upload.js'
import { type Incoming, plainDeck } from '../../../src/domain/content/upload/incoming.js'
import { keyUpload } from '../../../src/domain/content/upload/key.js'
import { digestColumns } from '../../support/card-texts.js'
import { isLinear } from '../../support/linear.js'

const DECKS = 50

/** Returns an Anki package with the given number of notes, and the rows that its first upload has stored. */
function storedUpload(count: number) {
  const decks = Array.from({ length: DECKS }, (_, at) => {
    const notes = Array.from({ length: Math.ceil(count / DECKS) }, (_, note) => `${at}-${note}`)
    return {
      ...plainDeck(`D${at}`, []),
      cards: notes.map((guid) => ({
        identity: { by: 'note' as const, guid, ord: 0 },
        question: guid,
        answer: 'A',
        level: 'l',
        file: '',
        line: 0,
      })),
    }
  })
  const incoming: Incoming = { kind: 'anki', decks, sheets: [], pictures: [], warnings: [], warningsTotal: 0 }
  const upload = keyUpload(incoming)
  const storedDecks: OwnedDeck[] = upload.decks.map((deck, id) => ({
    id,
    slug: deck.slug,
    name: deck.name,
    description: deck.description,
    sort_order: deck.sort_order,
    tests_only: deck.tests_only,
    options_off: deck.options_off,
    lang: deck.lang,
    desired_retention: deck.desired_retention,
    is_live: true,
    is_imported: false,
    file: '',
    source_id: 0,
    source_key: deck.source_key,
    owner: 'Quelle',
    owner_is_live: true,
    card_count: deck.cards.length,
  }))
  const digests = { cards: new Map(), sheets: new Map() }
  const cards: OwnedCard[] = []
  for (const [deck_id, deck] of upload.decks.entries()) {
    for (const [sort_order, card] of deck.cards.entries()) {
      digests.cards.set(card, digestCard(card))
      cards.push({
        id: cards.length,
        identity_deck_id: deck_id,
        key: card.key,
        deck_id,
        sort_order,
        state: 'live',
        ...digestColumns(card),
        is_edited: false,
        guid: card.guid,
        ord: card.ord,
      })
    }
  }
  return { upload, digests, stored: { sourceId: 0, decks: storedDecks, cards, sheets: [] } }
}

t.test('a repeated upload is planned in linear time', async (t) => {
  const plan = (count: number) => {
    const { upload, digests, stored } = storedUpload(count)
    return planUpload(upload, digests, stored, { mirror: true }, { decks: [], sheets: [] })
  }
  t.match(plan(100), { newCards: { length: 0 }, changedCards: { length: 0 }, archivedCards: { length: 0 } })
  t.ok(isLinear(plan, 40_000))
})
