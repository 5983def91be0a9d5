import { InvalidField, Refusal } from './refusal.js'
import { toNfc } from './text/nfc.js'
import { checkLine } from './text/parameters.js'
import { countCharacters, isStorable } from './text/text.js'

const MAX_EXTERNAL_ID_LENGTH = 128

export const EXTERNAL_ID_TAKEN = new Refusal(
  'conflict',
  'external_id_taken',
  'Diese externe Kennung ist schon vergeben',
  { field: 'external_id' },
)

/**
 * Parses the id of a user or team in another system, such as a directory. It may contain any characters of one line.
 * Upper and lower case differ.
 * @throws InvalidInput if the trimmed text is empty, has more than 128 code points or contains control characters
 * @example parseExternalId(' P-417 ') // 'P-417'
 */
export function parseExternalId(text: string): string {
  const id = toNfc(text).trim()
  if (id === '') throw new InvalidField('external_id', 'darf nicht leer sein')
  if (countCharacters(id) > MAX_EXTERNAL_ID_LENGTH) {
    const details = { maximum: MAX_EXTERNAL_ID_LENGTH }
    throw new InvalidField('external_id', `darf höchstens ${MAX_EXTERNAL_ID_LENGTH} Zeichen haben`, { details })
  }
  checkLine('external_id', id)
  return id
}

/**
 * Parses the external id in a path that reads; returns undefined if the database cannot store it, so that no row has it.
 * @throws InvalidInput as `parseExternalId` does for other texts
 * @example parseWantedExternalId('a\0') // undefined
 */
export function parseWantedExternalId(text: string): string | undefined {
  return isStorable(text) ? parseExternalId(text) : undefined
}
