import type { GivenAnswer, Question } from '../types.js'

export interface FormProps {
  question: Question
  /** Language of the test */
  lang: string | undefined
  /** Whether the question is the only one on the page, and can therefore be answered with keys */
  isAlone: boolean
  answer: GivenAnswer | null
  /** Message of the service about a refused answer */
  error: string | undefined
  onanswer: (answer: GivenAnswer, options?: { isTyped: boolean }) => void
}
