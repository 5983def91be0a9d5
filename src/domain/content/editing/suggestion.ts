import { parseMarkdown } from './texts.js'

export interface Suggestion {
  question: string
  answer: string
}

/**
 * Parses a suggestion with the rules for the texts of a card.
 * @throws InvalidInput if a text is empty, too long or not storable; the message names the field
 * @example parseSuggestion({ question: ' Was?', answer: 'Das.\r\n' }) // { question: 'Was?', answer: 'Das.' }
 */
export function parseSuggestion({ question, answer }: Suggestion): Suggestion {
  return {
    question: parseMarkdown('suggestion/question', question),
    answer: parseMarkdown('suggestion/answer', answer),
  }
}

export function suggestionOf(row: {
  suggested_question: string | null
  suggested_answer: string | null
}): Suggestion | null {
  const { suggested_question: question, suggested_answer: answer } = row
  return question === null || answer === null ? null : { question, answer }
}
