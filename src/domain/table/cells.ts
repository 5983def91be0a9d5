/** Start of a cell that spreadsheets treat as a formula: a Markdown list (`- a`) as well as an attack */
const FORMULA = /^'*[=+\-@\t\r]/

/**
 * Prefixes such a cell with an apostrophe; `unguardCell` removes exactly that.
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

/** Headings of our own tables */
export const TABLE_HEADINGS = ['Frage', 'Antwort', 'Level', 'Deck', 'Id'] as const
