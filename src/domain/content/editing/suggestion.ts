import { parseSide } from './texts.js'

/** A text that a learner suggests for a card. */
export interface Suggestion {
  question: string
  answer: string
}

/**
 * Parses a suggestion as texts of cards are parsed.
 * @throws InvalidInput naming the field
 * @example parseSuggestion({ question: ' Was?', answer: 'Das.\r\n' }) // { question: 'Was?', answer: 'Das.' }
 */
export function parseSuggestion({ question, answer }: Suggestion): Suggestion {
  return { question: parseSide('suggestion/question', question), answer: parseSide('suggestion/answer', answer) }
}

/** Returns the suggestion of a stored report; null if it has none. */
export function suggestionOf(row: {
  suggested_question: string | null
  suggested_answer: string | null
}): Suggestion | null {
  const { suggested_question: question, suggested_answer: answer } = row
  return question === null || answer === null ? null : { question, answer }
}
