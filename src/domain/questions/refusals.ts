import { InvalidInput } from '../refusal.js'

/** The answer has the shape of another form, such as a typed text for a choice. */
export const OTHER_FORM = new InvalidInput('Die Antwort passt nicht zur Form der Frage', 'other_form')
export const UNKNOWN_OPTION = new InvalidInput('Diese Antwort steht nicht zur Auswahl', 'unknown_option')
export const ONE_OPTION_ONLY = new InvalidInput('Bei dieser Frage ist nur eine Antwort möglich', 'one_option_only')
export const INCOMPLETE_ORDER = new InvalidInput(
  'Die Reihenfolge muss jeden Punkt genau einmal enthalten',
  'incomplete_order',
)
export const UNKNOWN_GAP = new InvalidInput('Diese Lücke gibt es nicht', 'unknown_gap')
export const UNSTORABLE_ANSWER = new InvalidInput(
  'Die Antwort enthält ein Zeichen, das nicht gespeichert werden kann',
  'unstorable_answer',
)
export const ANSWER_TOO_LONG = new InvalidInput('Die Antwort hat höchstens 1.000 Zeichen', 'answer_too_long')

export class AmbiguousNumber extends InvalidInput {
  constructor(message: string) {
    super(message, 'ambiguous_number')
  }
}
