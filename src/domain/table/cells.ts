/**
 * Start of a cell that spreadsheets treat as a formula, such as a Markdown list (`- a`) or an attack. Some
 * spreadsheets also evaluate the full-width forms of the signs. Apostrophes may precede the start, so that `guardCell`
 * adds another apostrophe and `unguardCell` restores the original text.
 */
const FORMULA = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/**
 * Prefixes a cell that looks like a formula with an apostrophe; `unguardCell` removes it again.
 * @example guardCell('=1+1') // "'=1+1"
 */
export function guardCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/**
 * Reverses `guardCell`.
 * @example unguardCell("'=1+1") // '=1+1'
 */
export function unguardCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
}

/** Headings of the table of cards that this service exports */
export const TABLE_HEADINGS = ['Frage', 'Antwort', 'Level', 'Deck', 'Id'] as const
