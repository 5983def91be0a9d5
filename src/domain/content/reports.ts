import { BadRequest } from '../refusals.js'
import { checkStorable } from '../text/parameters.js'
import { countCharacters } from '../text/text.js'

const MAX_LENGTH = 1_000
/** Open reports of one learner. */
export const MAX_OPEN_REPORTS = 50

/** Control characters but for tabs and line breaks. */
const CONTROLS = /(?![\t\n])\p{Cc}/u

/** The text of a report, trimmed and with `\n` as line ends. @throws BadRequest when it breaks a rule */
export function parseReportText(input: string): string {
  const text = input.replaceAll(/\r\n?/g, '\n').trim()
  if (text === '') throw new BadRequest('Das Feld "text" darf nicht leer sein')
  if (countCharacters(text) > MAX_LENGTH) {
    throw new BadRequest(`Das Feld "text" darf höchstens ${MAX_LENGTH} Zeichen haben`)
  }
  checkStorable('text', text)
  if (CONTROLS.test(text)) throw new BadRequest('Das Feld "text" enthält unzulässige Zeichen')
  return text
}
