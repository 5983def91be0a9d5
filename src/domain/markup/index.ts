export { type Converted, type ConvertOptions, convertHtml } from './convert.js'
export type { StyleSheet } from './looks.js'
export { readStyleSheet, stylesIn } from './style-sheet.js'
