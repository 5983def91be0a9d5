/** Excel detects UTF-8 by the byte order mark at the start of a table. */
export const CSV_MARK = '\ufeff'

/**
 * Format of tables for `csv-stringify`. The semicolon is the separator of Excel where numbers have a decimal comma. The
 * package quotes only fields with a complete line end; a single part of one also ends the line.
 */
export const CSV_FORMAT = { delimiter: ';', record_delimiter: '\r\n', quoted_match: /[\r\n]/ }
