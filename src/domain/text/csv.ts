/** Byte order mark at the start of a table, by which Excel detects UTF-8 */
export const CSV_MARK = '\ufeff'

/**
 * Format of tables for `csv-stringify`. Excel expects semicolons where the comma is the decimal separator. Of the fields
 * with line ends, the package would quote only those with `\r\n`, but a single `\r` or `\n` also ends a line.
 */
export const CSV_FORMAT = { delimiter: ';', record_delimiter: '\r\n', quoted_match: /[\r\n]/ }
