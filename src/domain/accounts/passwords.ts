import { randomInt } from 'node:crypto'
import { InvalidField, InvalidInput } from '../refusal.js'
import { countCharacters } from '../text/text.js'

const MIN_LENGTH = 6
const MAX_LENGTH = 1_000

/**
 * Characters of generated passwords: no vowels, so that no words appear, no characters that look alike, and no y and z,
 * which keyboard layouts swap
 */
const CHARACTERS = 'bcdfghjkmnpqrstvwx23456789'
const GROUPS = 4
const GROUP_LENGTH = 4

/** Returns a random password that is easy to type: four groups such as `k7mf-3xqv-…`, 75 random bits. */
export function generatePassword(): string {
  const pick = () => CHARACTERS[randomInt(CHARACTERS.length)] as string
  const group = () => Array.from({ length: GROUP_LENGTH }, pick).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}

/** @throws InvalidInput if the password has fewer than 6 or more than 1,000 code points */
export function checkPasswordLength(password: string, field: string): void {
  const length = countCharacters(password)
  if (length > MAX_LENGTH)
    throw new InvalidField(field, `darf höchstens ${MAX_LENGTH} Zeichen haben`, { details: { maximum: MAX_LENGTH } })
  if (length < MIN_LENGTH) {
    throw new InvalidInput(`Passwort muss mindestens ${MIN_LENGTH} Zeichen haben`, 'invalid_input', {
      field,
      details: { minimum: MIN_LENGTH },
    })
  }
}
