/** Characters of a level or of a deck's name that come with an upload. */
export const MAX_LABEL_LENGTH = 200

/** The first of them, without blanks at the end. */
export function cutLabel(text: string): string {
  // No character takes more than two units.
  const characters = Array.from(text.slice(0, 2 * MAX_LABEL_LENGTH))
  return characters.slice(0, MAX_LABEL_LENGTH).join('').toWellFormed().trimEnd()
}
