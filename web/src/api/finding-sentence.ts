import { count } from '../words/numbers.js'
import { refusalSentence } from './refusal-sentences.js'

/** Sentences by code, as in `refusal-sentences.ts`; those that only lists of findings contain */
const SENTENCES: Readonly<Record<string, string>> = {}

/** A finding of the service about content, or about a row of a list */
interface Finding {
  /** German sentence */
  message: string
  code?: string
  details?: Readonly<Record<string, unknown>> | null
  /** Number of further findings of the kind, if the finding stands for them */
  more?: number
}

/**
 * Returns the sentence for a finding in the language of the app; that of the service if the app does not know its code.
 * @param label label of the faulty field
 */
export function findingSentence({ message, code = '', details, more }: Finding, label?: string): string {
  const reason = { code, field: undefined, details: { ...details, label } }
  const sentence = refusalSentence(reason, SENTENCES) ?? refusalSentence(reason)
  if (sentence === undefined || more === undefined) return sentence ?? message
  return `… und ${count(more)} weitere dieser Art: ${sentence}`
}
