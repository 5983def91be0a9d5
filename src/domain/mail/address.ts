import { InvalidField } from '../refusal.js'

/** Maximum length of an address: a path has at most 256 octets including angle brackets (RFC 5321, 4.5.3.1) */
const MAX_LENGTH = 254
const MAX_LOCAL_LENGTH = 64

/**
 * Mail address without quotes and comments: ASCII letters, digits, dots and special characters of RFC 5322 before the
 * `@`. Domains may contain letters of all scripts, and may have a single label as in company networks.
 */
const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)*$/iu

/**
 * Returns whether the text is a mail address of an allowed form and length.
 * @example isMailAddress('erika@example.org') // true
 */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_LENGTH && text.indexOf('@') <= MAX_LOCAL_LENGTH && ADDRESS.test(text)
}

/**
 * Parses the mail address of an account. Several accounts may have the same address, such as a shared mailbox.
 * @throws InvalidInput if `isMailAddress` returns false for the trimmed text
 * @example parseMailAddress(' erika@example.org ') // 'erika@example.org'
 */
export function parseMailAddress(text: string, field = 'email'): string {
  const address = text.trim()
  if (!isMailAddress(address)) {
    throw new InvalidField(field, 'muss eine E-Mail-Adresse sein, etwa erika@example.org')
  }
  return address
}
