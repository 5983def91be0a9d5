/** Byte order mark at the start of a table; tells Excel that the encoding is UTF-8 */
export const CSV_MARK = '\ufeff'

/**
 * Format of tables for `csv-stringify`. Excel expects semicolons where the comma is the decimal separator. By default,
 * the package would not quote fields with a lone `\r` or `\n`, which also end a line.
 */
export const CSV_FORMAT = { delimiter: ';', record_delimiter: '\r\n', quoted_match: /[\r\n]/ }
