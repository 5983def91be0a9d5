import { hash } from 'node:crypto'
import { textsOfExercise } from '../../questions/exercise.js'
import { type CardTexts, eachText, TEXT_RULES } from '../card-texts.js'
import type { CardSource, Content, SheetSource } from '../types.js'
import type { CardDigests, Digests } from './types.js'

/**
 * Returns a digest for comparing texts: the first 32 hexadecimal digits of the SHA-256 of the texts joined by NUL.
 * `digestOf` in `db/queries/content/stored.ts` computes the same in SQL.
 */
export function digestText(...texts: string[]): string {
  return hash('sha256', texts.join('\0'), 'hex').slice(0, 32)
}

/** Returns the digests of a card. A label is its own digest, because it is short. */
export function digestCard(card: CardTexts): CardDigests {
  const { exercise } = card
  return {
    exercise: exercise === null ? '' : digestText(...textsOfExercise(exercise)),
    ...eachText((name) => (TEXT_RULES[name].isMarkdown ? digestText(card[name]) : card[name])),
  }
}

/** Digests content in short steps, so that other work can run in between. */
export function* digestInSteps({ decks, sheets }: Content): Generator<void, Digests> {
  const cardDigests = new Map<CardSource, CardDigests>()
  const sheetDigests = new Map<SheetSource, string>()
  for (const deck of decks) {
    for (const card of deck.cards) {
      cardDigests.set(card, digestCard(card))
      yield
    }
  }
  for (const sheet of sheets) {
    sheetDigests.set(sheet, digestText(sheet.title, sheet.category, sheet.content_md))
    yield
  }
  return { cards: cardDigests, sheets: sheetDigests }
}
