import { hash } from 'node:crypto'
import { textsOfExercise } from '../../questions/exercise.js'
import type { CardSource, Content, SheetSource } from '../types.js'
import type { CardDigests, Digests } from './types.js'

/**
 * Returns a digest for comparing texts: 32 hexadecimal digits of the SHA-256, texts joined by NUL. The queries compute
 * the same in SQL.
 */
export function digestText(...texts: string[]): string {
  return hash('sha256', texts.join('\0'), 'hex').slice(0, 32)
}

/** Digests content in short steps, so that other work can run in between. */
export function* digestInSteps({ decks, sheets }: Content): Generator<void, Digests> {
  const ofCards = new Map<CardSource, CardDigests>()
  const ofSheets = new Map<SheetSource, string>()
  for (const deck of decks) {
    for (const card of deck.cards) {
      const { question, answer, level, exercise } = card
      ofCards.set(card, {
        question: digestText(question),
        rest: digestText(answer, level),
        exercise: exercise === null ? '' : digestText(...textsOfExercise(exercise)),
      })
      yield
    }
  }
  for (const sheet of sheets) {
    ofSheets.set(sheet, digestText(sheet.title, sheet.category, sheet.content_md))
    yield
  }
  return { cards: ofCards, sheets: ofSheets }
}
