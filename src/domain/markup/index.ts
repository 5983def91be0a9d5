export { type Converted, type ConvertOptions, convertHtml } from './convert.js'
export type { StyleSheet } from './css-properties.js'
export { readStyleSheet, stylesIn } from './style-sheet.js'
