import { countCharacters } from './text.js'

/** Maximum length of a card's question or answer in UTF-16 code units */
export const MAX_SIDE_LENGTH = 65_536

/** Maximum length, in characters, of the name of a deck or the level of a card, except in content files */
export const MAX_LABEL_LENGTH = 200

export function isLabelTooLong(label: string): boolean {
  return label.length > MAX_LABEL_LENGTH && countCharacters(label) > MAX_LABEL_LENGTH
}

/** Cuts a label to the maximum length and trims its end. */
export function cutLabel(text: string): string {
  // A character has at most two code units.
  const characters = Array.from(text.slice(0, 2 * MAX_LABEL_LENGTH))
  return characters.slice(0, MAX_LABEL_LENGTH).join('').toWellFormed().trimEnd()
}
