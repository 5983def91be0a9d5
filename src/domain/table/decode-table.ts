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
  const decoded = new TextDecoder(encoding.label).decode(bytes)
  const text = decoded.includes('\r') ? decoded.replace(/\r\n?/g, '\n') : decoded
  const nul = text.indexOf('\0')
  return nul >= 0 ? { badLine: countLines(text.slice(0, nul)) } : { text, encoding: encoding.name }
}

function encodingOf(bytes: Uint8Array): { label: string; name: 'UTF-8' | 'UTF-16' | 'Windows-1252' } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { label: 'utf-16le', name: 'UTF-16' }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { label: 'utf-16be', name: 'UTF-16' }
  return isUtf8(bytes) ? { label: 'utf-8', name: 'UTF-8' } : { label: 'windows-1252', name: 'Windows-1252' }
}

/** Whether a file can be a table, by its beginning: other files soon have a byte that no text has. */
export function looksLikeText(head: Uint8Array): boolean {
  if (encodingOf(head.subarray(0, 2)).name === 'UTF-16') return true
  return head.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b)
}
