import { InvalidInput } from '../refusal.js'
import { checkStorable } from '../text/parameters.js'
import { countCharacters } from '../text/text.js'

const MAX_LENGTH = 1_000
/** Maximum number of open reports per learner */
export const MAX_OPEN_REPORTS = 50

/** Control characters except tab and line break */
const CONTROLS = /(?![\t\n])\p{Cc}/u

/**
 * Parses the text of a report: trimmed, `\n` line ends.
 * @throws InvalidInput if it breaks a rule
 * @example parseReportText(' falsch\r\n') // 'falsch'
 */
export function parseReportText(input: string): string {
  const text = input.replaceAll(/\r\n?/g, '\n').trim()
  if (text === '') throw new InvalidInput('Das Feld „text“ darf nicht leer sein')
  if (countCharacters(text) > MAX_LENGTH) {
    throw new InvalidInput(`Das Feld „text“ darf höchstens ${MAX_LENGTH} Zeichen haben`)
  }
  checkStorable('text', text)
  if (CONTROLS.test(text)) throw new InvalidInput('Das Feld „text“ enthält unzulässige Zeichen')
  return text
}
