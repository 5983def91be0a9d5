import { sanitize } from './sanitize.js'

const NOTHING = { elements: [], attributes: [] }

/**
 * Returns the text of a named character reference; false if the reference does not exist. Used by micromark.
 * @example decodeNamedCharacterReference('auml') // 'ä'
 */
export function decodeNamedCharacterReference(name: string): string | false {
  const text = sanitize(`&${name};`, NOTHING).textContent ?? ''
  // A remaining semicolon means that a shorter name was decoded, such as `not` in `&notit;`.
  return text === '' || text === `&${name};` || (text.endsWith(';') && name !== 'semi') ? false : text
}
