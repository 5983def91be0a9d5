import { InvalidField } from '../../refusal.js'
import { isLabelTooLong, MAX_LABEL_LENGTH, MAX_SIDE_LENGTH } from '../../text/limits.js'
import { toNfc } from '../../text/nfc.js'
import { checkLine, checkStorable } from '../../text/parameters.js'
import { toLanguage } from '../translations.js'

/** Maximum length of a sheet's text in UTF-16 code units */
const MAX_SHEET_LENGTH = 2 * 2 ** 20

/**
 * Parses a text of a card: NFC, `\n` line ends, trimmed.
 * @param maxLength in UTF-16 code units
 * @throws InvalidInput if the text is empty, too long or not storable; the message names the field
 * @example parseMarkdown('question', ' Was?\r\n') // 'Was?'
 */
export function parseMarkdown(field: string, input: string, maxLength = MAX_SIDE_LENGTH): string {
  return parseText(field, input.trim(), maxLength)
}

/**
 * Parses the text of a sheet: NFC, `\n` line ends, otherwise unchanged.
 * @throws InvalidInput if the text is empty, too long or not storable; the message names the field
 * @example parseSheetText('text', '# Log\r\n') // '# Log\n'
 */
export function parseSheetText(field: string, input: string): string {
  return parseText(field, input, MAX_SHEET_LENGTH)
}

/**
 * Parses a name, level, title or category: one line, NFC, trimmed.
 * @param maxLength in code points
 * @throws InvalidInput if the text is empty, too long or not storable, or contains control characters
 * @example parseLabel('title', ' Git ') // 'Git'
 */
export function parseLabel(field: string, input: string, maxLength = MAX_LABEL_LENGTH): string {
  const label = toNfc(input).trim()
  if (label === '') throw new InvalidField(field, 'darf nicht leer sein')
  if (isLabelTooLong(label, maxLength)) {
    throw new InvalidField(field, `darf höchstens ${maxLength} Zeichen haben`, { details: { maximum: maxLength } })
  }
  checkLine(field, label)
  return label
}

const MAX_DESCRIPTION_LENGTH = 2_000

/**
 * Parses the description of a deck, which may be empty: NFC, `\n` line ends, trimmed.
 * @throws InvalidInput if the text has more than 2,000 UTF-16 code units or is not storable
 * @example parseDescription(' Grundlagen\r\n') // 'Grundlagen'
 */
export function parseDescription(input: string): string {
  return input.trim() === '' ? '' : parseText('description', input.trim(), MAX_DESCRIPTION_LENGTH)
}

/**
 * Parses a language tag (BCP 47) into its canonical form.
 * @throws InvalidInput if the text is not a language tag of at most 35 characters, or names no language
 * @example parseLanguage(' en-GB ') // 'en-GB'
 */
export function parseLanguage(input: string): string {
  const tag = toLanguage(input.trim())
  if (tag === undefined) throw new InvalidField('lang', 'muss ein Kürzel für eine Sprache sein, etwa de oder en')
  return tag
}

/**
 * Parses the slug of the original of a variant; an empty text means none.
 * @throws InvalidInput if the text is not storable
 * @example parseOriginal(' git ') // 'git'
 */
export function parseOriginal(input: string | null | undefined): string | null {
  checkStorable('translation_of', input ?? '')
  return toNfc(input ?? '').trim() || null
}

function parseText(field: string, input: string, maxLength: number): string {
  checkStorable(field, input)
  const text = toNfc(input.replaceAll(/\r\n?/g, '\n'))
  if (text.trim() === '') throw new InvalidField(field, 'darf nicht leer sein')
  if (text.length > maxLength) {
    throw new InvalidField(field, `darf höchstens ${maxLength.toLocaleString('de-DE')} Zeichen haben`, {
      details: { maximum: maxLength },
    })
  }
  return text
}
