import { freezeQuestion } from '../questions/frozen.js'
import type { QuestionCard } from './sections.js'

/** A question as a row of an exported table. */
export interface QuestionRow {
  question: string
  answer: string
  wrong: string[]
  explanation: string
}

/**
 * Returns a question as a row. All right answers of a choice share one cell; forms other than choices have no wrong
 * answers.
 */
export function toQuestionRow({ question, answer, exercise }: QuestionCard): QuestionRow {
  const frozen = freezeQuestion({ question, answer, exercise }, () => '')
  if (frozen.form !== 'single' && frozen.form !== 'multiple') return { question, answer, wrong: [], explanation: '' }
  const right = frozen.options.filter(({ correct }) => correct).map(({ text }) => text)
  const wrong = frozen.options.filter(({ correct }) => !correct).map(({ text }) => text)
  const ownAnswer = exercise.options.every(({ correct }) => !correct)
  return { question, answer: right.join('; '), wrong, explanation: ownAnswer ? '' : answer }
}
