import { InvalidInput } from '../refusal.js'

/** RFC 5321, 4.5.3.1: the longest address that fits into a path */
const MAX_LENGTH = 254
const MAX_LOCAL_LENGTH = 64

/**
 * An address as mail servers accept it without extensions: dots and the special characters of RFC 5322 before the `@`,
 * no quotes and no comments. Domains may be international or, inside a company, of one label.
 */
const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)*$/iu

/**
 * Returns whether mail can be sent to the text.
 * @example isMailAddress('erika@example.org') // true
 */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_LENGTH && text.indexOf('@') <= MAX_LOCAL_LENGTH && ADDRESS.test(text)
}

/**
 * Parses an address of an account. Two accounts may have the same one, such as the mailbox of a workshop.
 * @throws InvalidInput
 * @example parseMailAddress(' erika@example.org ') // 'erika@example.org'
 */
export function parseMailAddress(text: string, field = 'email'): string {
  const address = text.trim()
  if (!isMailAddress(address)) {
    throw new InvalidInput(`Das Feld „${field}“ muss eine E-Mail-Adresse sein, etwa erika@example.org`)
  }
  return address
}
