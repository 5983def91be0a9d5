/**
 * Characters of generated passwords, as in the service: no vowels, no characters that look alike, and neither y nor z,
 * which keyboard layouts swap
 */
const CHARACTERS = 'bcdfghjkmnpqrstvwx23456789'
const GROUPS = 4
const GROUP_LENGTH = 4
/** Random bytes from this value on are discarded, because they would make some characters more likely. */
const UNBIASED_BELOW = 256 - (256 % CHARACTERS.length)

/** Returns a random password that is easy to type: four groups such as `k7mf-3xqv-…`, 75 random bits. */
export function generatePassword(): string {
  const characters: string[] = []
  while (characters.length < GROUPS * GROUP_LENGTH) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < UNBIASED_BELOW) characters.push(CHARACTERS[byte % CHARACTERS.length] as string)
  }
  const groups = Array.from({ length: GROUPS }, (_, at) =>
    characters.slice(at * GROUP_LENGTH, (at + 1) * GROUP_LENGTH).join(''),
  )
  return groups.join('-')
}
