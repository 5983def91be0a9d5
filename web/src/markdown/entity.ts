import { sanitize } from './sanitize.js'

const NOTHING = { elements: [], attributes: [] }

/** The character of a named reference such as `auml`; false when there is none of that name. For micromark. */
export function decodeNamedCharacterReference(name: string): string | false {
  const text = sanitize(`&${name};`, NOTHING).textContent ?? ''
  // Without its end a shorter name was found, as `not` is in `&notit;`.
  return text === '' || text === `&${name};` || (text.endsWith(';') && name !== 'semi') ? false : text
}
