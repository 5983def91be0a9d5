import { isUtf8 } from 'node:buffer'
import { countLines } from '../../text/text.js'
import type { ReportFault } from '../types.js'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * Decodes a content file: removes a byte order mark and normalises line ends to `\n`. Reports a fault and returns
 * undefined if the file is not UTF-8. Reports the first NUL, which PostgreSQL cannot store, but returns the text.
 * @example decodeText(Buffer.from('a\r\nb'), () => {}) // 'a\nb'
 */
export function decodeText(bytes: Uint8Array, report: ReportFault): string | undefined {
  if (!isUtf8(bytes)) {
    report(findBadLine(bytes), 'Die Datei ist nicht in UTF-8 kodiert')
    return undefined
  }
  const decoded = new TextDecoder().decode(bytes)
  const text = decoded.includes('\r') ? decoded.replace(/\r\n?/g, '\n') : decoded
  const nul = text.indexOf('\0')
  if (nul >= 0) report(countLines(text.slice(0, nul)), 'NUL-Zeichen sind nicht erlaubt')
  return text
}

/**
 * Returns the first line that is not UTF-8, from 1. Searches the bytes for line ends, because in UTF-8 these bytes
 * never occur inside a character.
 */
function findBadLine(bytes: Uint8Array): number {
  let line = 1
  let start = 0
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== LINE_FEED && bytes[at] !== CARRIAGE_RETURN) continue
    if (!isUtf8(bytes.subarray(start, at))) return line
    if (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) at++
    line++
    start = at + 1
  }
  return line
}
