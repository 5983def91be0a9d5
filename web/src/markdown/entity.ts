import { sanitize } from './sanitize.js'

const NOTHING = { elements: [], attributes: [] }

/** Returns the character of a named reference such as `auml`; false if it does not exist. Used by micromark. */
export function decodeNamedCharacterReference(name: string): string | false {
  const text = sanitize(`&${name};`, NOTHING).textContent ?? ''
  // A remaining semicolon means that a shorter name was decoded, such as `not` in `&notit;`.
  return text === '' || text === `&${name};` || (text.endsWith(';') && name !== 'semi') ? false : text
}
