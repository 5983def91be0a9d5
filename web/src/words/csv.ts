/** Returns a CSV text for German spreadsheets, with byte order mark and semicolons. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((row) => row.map(quote).join(';')).join('\r\n')}\r\n`
}

/** Quotes a cell, and prefixes it if a spreadsheet would take it for a formula, as a name may look like one. */
function quote(text: string): string {
  const field = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[;"\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
