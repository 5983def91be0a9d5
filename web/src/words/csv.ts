/** A table as a file that German table programs open with a double click: with a mark for UTF-8 and semicolons. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((row) => row.map(quote).join(';')).join('\r\n')}\r\n`
}

/** What a table program would calculate is text to it with the mark before it: a name may be a formula. */
function quote(text: string): string {
  const field = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[;"\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
