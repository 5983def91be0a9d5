import { isUtf8 } from 'node:buffer'
import { countLines } from '../content/decode-text.js'

/** The text of a table with `\n` at the ends of its lines, or the line from which on it is none. */
export type DecodedTable = { text: string; encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252' } | { badLine: number }

/**
 * A table program writes UTF-8, with a byte order mark or without, UTF-16 with one or, in Germany's Excel, Windows-1252:
 * that is what is no UTF-8.
 */
export function decodeTable(bytes: Uint8Array): DecodedTable {
  const encoding = encodingOf(bytes)
  const decoded = encoding === 'Windows-1252' ? decodeWindows1252(bytes) : new TextDecoder(encoding).decode(bytes)
  const text = decoded.includes('\r') ? decoded.replace(/\r\n?/g, '\n') : decoded
  const nul = text.indexOf('\0')
  return nul >= 0
    ? { badLine: countLines(text.slice(0, nul)) }
    : { text, encoding: encoding === 'utf-8' ? 'UTF-8' : encoding === 'Windows-1252' ? encoding : 'UTF-16' }
}

function encodingOf(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | 'utf-8' | 'Windows-1252' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return isUtf8(bytes) ? 'utf-8' : 'Windows-1252'
}

/** What stands from 0x80 to 0x9f, where Latin-1 has control characters. Node.js 20 decodes it as if it were that. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  return text.replace(/[\u0080-\u009f]/g, (character) => WINDOWS[character.charCodeAt(0) - 0x80] as string)
}

/** Whether a file can be a table, by its beginning: other files soon have a byte that no text has. */
export function looksLikeText(head: Uint8Array): boolean {
  if (encodingOf(head.subarray(0, 2)).startsWith('utf-16')) return true
  return head.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b)
}
