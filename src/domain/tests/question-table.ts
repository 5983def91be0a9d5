import { freezeQuestion } from '../questions/frozen.js'
import type { QuestionCard } from './sections.js'

export interface QuestionRow {
  question: string
  answer: string
  wrong: string[]
  explanation: string
}

/**
 * Returns a question as a row. All right options of a choice share the answer cell; the card's answer is then the
 * explanation, unless it is the right option itself. Other forms have neither wrong answers nor an explanation.
 */
export function toQuestionRow({ question, answer, exercise }: QuestionCard): QuestionRow {
  const frozen = freezeQuestion({ question, answer, exercise }, () => '')
  if (frozen.form !== 'single' && frozen.form !== 'multiple') return { question, answer, wrong: [], explanation: '' }
  const right = frozen.options.filter(({ correct }) => correct).map(({ text }) => text)
  const wrong = frozen.options.filter(({ correct }) => !correct).map(({ text }) => text)
  const ownAnswer = exercise.options.every(({ correct }) => !correct)
  return { question, answer: right.join('; '), wrong, explanation: ownAnswer ? '' : answer }
}
