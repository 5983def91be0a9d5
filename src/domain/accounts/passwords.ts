import { randomInt } from 'node:crypto'
import { BadRequest } from '../refusals.js'
import { countCharacters } from '../text/text.js'

const MIN_LENGTH = 6
const MAX_LENGTH = 1_000

/** No vowels, so that no words come out, none that look alike, and no y and z, which keyboards have in each other's place. */
const CHARACTERS = 'bcdfghjkmnpqrstvwx23456789'
const GROUPS = 4
const GROUP_LENGTH = 4

/** A password that somebody is to type once: four groups such as `k7mf-3xqv-…`, 75 random bits. */
export function makeUpPassword(): string {
  const pick = () => CHARACTERS[randomInt(CHARACTERS.length)] as string
  const group = () => Array.from({ length: GROUP_LENGTH }, pick).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}

/** @throws BadRequest when the password of that field is too long or too short, in code points */
export function checkPasswordLength(password: string, field: string): void {
  const length = countCharacters(password)
  if (length > MAX_LENGTH) throw new BadRequest(`Das Feld "${field}" darf höchstens ${MAX_LENGTH} Zeichen haben`)
  if (length < MIN_LENGTH) throw new BadRequest(`Passwort muss mindestens ${MIN_LENGTH} Zeichen haben`)
}
