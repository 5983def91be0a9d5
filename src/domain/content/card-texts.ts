import { isDeepStrictEqual } from 'node:util'
import { type Exercise, lengthOfExercise } from '../questions/exercise.js'
import { MAX_LABEL_LENGTH, MAX_SIDE_LENGTH } from '../text/limits.js'

export type TextRule = {
  /** Whether authors may leave the text empty */
  isOptional: boolean
} & (MarkdownRule | LabelRule)

/** Markdown may show pictures, and authors find and replace words in it. */
interface MarkdownRule {
  isMarkdown: true
  /** In UTF-16 code units */
  maxLength: number
}

/** A label has one line. */
interface LabelRule {
  isMarkdown: false
  /** In code points */
  maxLength: number
  /** Whether a deck file may contain a longer text */
  isLongerInFiles?: boolean
}

/**
 * The texts of a card, in the order of the API: columns of `cards` and `card_versions` that are never null. The editing
 * API, queries, versions, imports and exports derive their lists and checks from this table.
 */
export const TEXT_RULES = {
  question: { isMarkdown: true, isOptional: false, maxLength: MAX_SIDE_LENGTH },
  answer: { isMarkdown: true, isOptional: false, maxLength: MAX_SIDE_LENGTH },
  level: { isMarkdown: false, isOptional: true, maxLength: MAX_LABEL_LENGTH, isLongerInFiles: true },
} satisfies Record<string, TextRule>

export type CardText = keyof typeof TEXT_RULES

export const CARD_TEXTS: readonly CardText[] = Object.keys(TEXT_RULES) as CardText[]

export const MARKDOWN_TEXTS = CARD_TEXTS.filter((name) => TEXT_RULES[name].isMarkdown)

export interface CardTexts extends Record<CardText, string> {
  /** Null for a plain card */
  exercise: Exercise | null
}

/** What an import compares separately, and keeps if a file does not contain it. */
export type CardPart = keyof CardTexts

export const CARD_PARTS: readonly CardPart[] = [...CARD_TEXTS, 'exercise']

/** What a file contains. What is absent is empty in a new card and stays unchanged in a stored one. */
export type GivenTexts = Partial<CardTexts> & Pick<CardTexts, 'question' | 'answer' | 'level'>

/** @example eachText(() => '') // { question: '', answer: '', level: '' } */
export function eachText<Value>(of: (name: CardText) => Value): Record<CardText, Value> {
  const texts = {} as Record<CardText, Value>
  for (const name of CARD_TEXTS) texts[name] = of(name)
  return texts
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
