export type { XmlFault } from './element.js'
export { readMoodle } from './read-moodle.js'
export { type ExportAnswer, type ExportCategory, type ExportQuestion, writeMoodle } from './write-moodle.js'
