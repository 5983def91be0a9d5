/** A table as a file that German table programs open with a double click: with a mark for UTF-8 and semicolons. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((row) => row.map(quote).join(';')).join('\r\n')}\r\n`
}

function quote(field: string): string {
  return /[;"\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
