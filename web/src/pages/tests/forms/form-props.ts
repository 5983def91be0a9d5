import type { GivenAnswer, Question } from '../types.js'

/** What each form of a question takes. */
export interface FormProps {
  question: Question
  /** The only question on the page, which has keys */
  isAlone: boolean
  answer: GivenAnswer | null
  /** Why the service does not take the answer */
  error: string | undefined
  onanswer: (answer: GivenAnswer, options?: { isTyped: boolean }) => void
}
