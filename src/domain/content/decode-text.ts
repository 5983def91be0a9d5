import { isUtf8 } from 'node:buffer'
import type { Report } from './types.js'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * The text of a file: a byte order mark dropped, line ends normalised to `\n`. Undefined, with a fault reported, when
 * the bytes are not UTF-8. A NUL character, which PostgreSQL cannot store, is reported too.
 */
export function decodeText(bytes: Uint8Array, report: Report): string | undefined {
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

/** The number of lines that a text spans: 1 when it holds no line end. */
export function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** The first line that is not UTF-8 by itself: the bytes of a line end are never part of a longer character. */
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
