import { InvalidField } from '../refusal.js'
import { checkStorable } from '../text/parameters.js'
import { countCharacters } from '../text/text.js'

const MAX_LENGTH = 2_000

/**
 * Trims a learner's note. An empty result means that there is no note.
 * @throws InvalidInput if it has more than 2,000 code points or contains a character that cannot be stored
 * @example parseNote(' Eselsbrücke\n') // 'Eselsbrücke'
 */
export function parseNote(value: string): string {
  const text = value.trim()
  checkStorable('text', text)
  if (countCharacters(text) > MAX_LENGTH)
    throw new InvalidField('text', 'darf höchstens 2.000 Zeichen haben', { details: { maximum: MAX_LENGTH } })
  return text
}
