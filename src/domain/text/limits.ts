import { countCharacters } from './text.js'

/** Maximum length of a card's question or answer in UTF-16 code units */
export const MAX_SIDE_LENGTH = 65_536

/** Maximum length of a name, level, title or category in code points; files of decks and sheets may exceed it */
export const MAX_LABEL_LENGTH = 200

/** @param maxLength in code points */
export function isLabelTooLong(label: string, maxLength = MAX_LABEL_LENGTH): boolean {
  return label.length > maxLength && countCharacters(label) > maxLength
}

/** Cuts a label to the maximum length and trims its end. */
export function cutLabel(text: string): string {
  // A code point has at most two code units.
  const characters = Array.from(text.slice(0, 2 * MAX_LABEL_LENGTH))
  return characters.slice(0, MAX_LABEL_LENGTH).join('').toWellFormed().trimEnd()
}
