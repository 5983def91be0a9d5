import { BadRequest } from '../refusals.js'
import { countCharacters } from '../text/text.js'

const MIN_LENGTH = 6
const MAX_LENGTH = 1_000

/** @throws BadRequest when the password of that field is too long or too short, in code points */
export function checkPasswordLength(password: string, field: string): void {
  const length = countCharacters(password)
  if (length > MAX_LENGTH) throw new BadRequest(`Das Feld "${field}" darf höchstens ${MAX_LENGTH} Zeichen haben`)
  if (length < MIN_LENGTH) throw new BadRequest(`Passwort muss mindestens ${MIN_LENGTH} Zeichen haben`)
}
