import { InvalidField } from '../refusal.js'
import { checkStorable } from '../text/parameters.js'
import { countCharacters } from '../text/text.js'

const MAX_LENGTH = 1_000
/** Maximum number of open reports per learner */
export const MAX_OPEN_REPORTS = 50

const CONTROLS = /(?![\t\n])\p{Cc}/u

/**
 * Parses the text of a report, or the reason for declining a suggestion: trimmed, with `\n` line ends.
 * @throws InvalidInput if the text is empty, has more than 1,000 code points, is not storable or contains control
 *   characters except tabs and line breaks
 * @example parseReportText(' falsch\r\n') // 'falsch'
 */
export function parseReportText(input: string, field = 'text'): string {
  const text = input.replaceAll(/\r\n?/g, '\n').trim()
  if (text === '') throw new InvalidField(field, 'darf nicht leer sein')
  if (countCharacters(text) > MAX_LENGTH) {
    throw new InvalidField(field, `darf höchstens ${MAX_LENGTH} Zeichen haben`, { details: { maximum: MAX_LENGTH } })
  }
  checkStorable(field, text)
  if (CONTROLS.test(text)) throw new InvalidField(field, 'enthält unzulässige Zeichen')
  return text
}
