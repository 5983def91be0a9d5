import { isDeepStrictEqual } from 'node:util'
import { type Exercise, lengthOfExercise } from '../questions/exercise.js'

/** Texts in Markdown: they may show pictures, and authors find and replace words in them. */
export const MARKDOWN_TEXTS = ['question', 'answer'] as const

/**
 * The texts of a card, in the order of the API: columns of `cards` and `card_versions` that are never null. The editing
 * API, queries, versions, imports and exports derive their lists from this one.
 */
export const CARD_TEXTS = [...MARKDOWN_TEXTS, 'level'] as const

export type CardText = (typeof CARD_TEXTS)[number]

export interface CardTexts extends Record<CardText, string> {
  /** Null for a plain card */
  exercise: Exercise | null
}

/** What an import compares separately, and keeps if a file does not contain it. */
export const CARD_PARTS = [...CARD_TEXTS, 'exercise'] as const

export type CardPart = (typeof CARD_PARTS)[number]

/** What a file contains. What is absent is empty in a new card and stays unchanged in a stored one. */
export type GivenTexts = Partial<CardTexts> & Pick<CardTexts, 'question' | 'answer' | 'level'>

/** @example eachText(() => '') // { question: '', answer: '', level: '' } */
export function eachText<Value>(of: (name: CardText) => Value): Record<CardText, Value> {
  return Object.fromEntries(CARD_TEXTS.map((name) => [name, of(name)])) as Record<CardText, Value>
}

export const EMPTY_TEXTS: CardTexts = { ...eachText(() => ''), exercise: null }

export function isSameText(one: CardTexts, other: CardTexts): boolean {
  return CARD_TEXTS.every((name) => one[name] === other[name]) && isDeepStrictEqual(one.exercise, other.exercise)
}

/** Returns the total length of the Markdown texts, the options and their feedback in UTF-16 code units. */
export function lengthOfTexts(card: Partial<CardTexts>): number {
  const markdown = MARKDOWN_TEXTS.reduce((sum, name) => sum + (card[name]?.length ?? 0), 0)
  return markdown + lengthOfExercise(card.exercise ?? null)
}
