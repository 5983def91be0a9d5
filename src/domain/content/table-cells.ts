/**
 * A cell that begins like this is a formula to a spreadsheet, which may run it: a list of Markdown (`- a`) just as well as
 * something worse.
 */
const FORMULA = /^'*[=+\-@\t\r]/

/** The text as a cell that stays a text: with an apostrophe in front. `unguardCell` takes it away again, and no more. */
export function guardCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** The text of a cell. */
export function unguardCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
}

/** The headings of our own tables. */
export const TABLE_HEADINGS = ['Frage', 'Antwort', 'Level', 'Deck', 'Id'] as const
