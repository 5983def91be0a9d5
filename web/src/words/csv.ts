/**
 * Returns rows as CSV for German spreadsheet programs, with a byte order mark, semicolons and CRLF.
 * @example toCsv([['Name', 'a;b']]) // '\ufeffName;"a;b"\r\n'
 */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((row) => row.map(quote).join(';')).join('\r\n')}\r\n`
}

/**
 * Quotes a cell if necessary. Puts an apostrophe before text that a spreadsheet would take for a formula, because a
 * name may look like a formula.
 */
function quote(text: string): string {
  const field = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[;"\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
