export { guardCell, TABLE_HEADINGS } from './cells.js'
export { decodeTable, looksLikeText } from './decode-table.js'
export { readTable } from './read-table.js'
export { NumberFormats } from './workbook/number-formats.js'
export {
  collectRelationships,
  collectSharedStrings,
  collectStyles,
  collectWorkbook,
  type Relationship,
  type SheetEntry,
} from './workbook/parts.js'
export { findHeadings, HEADING_ROWS, readSheets, type Sheet } from './workbook/read-sheets.js'
export { SheetParser } from './workbook/sheet-parser.js'
export { type XmlHandler, XmlParser } from './workbook/xml.js'
