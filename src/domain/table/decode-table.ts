import { isUtf8 } from 'node:buffer'
import { countLines } from '../text/text.js'

/** Decoded text with `\n` line ends, or the line number of the first NUL character, which is not allowed */
export type DecodedTable = { text: string; encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252' } | { badLine: number }

/**
 * Decodes a table in UTF-16 or UTF-8, with or without a byte order mark. Decodes other bytes as Windows-1252, which
 * German Excel writes.
 * @example decodeTable(Uint8Array.of(0xe4)) // { text: 'ä', encoding: 'Windows-1252' }
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
  return findUtf16(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'Windows-1252')
}

/** Number of bytes to examine for UTF-16 without a byte order mark */
const SAMPLE_BYTES = 4_096

/**
 * Detects UTF-16 by its byte order mark or, without one, by its NULs. In European UTF-16 text, nearly every second byte
 * is NUL and no other byte is. Other texts and nearly all binary files lack this pattern.
 */
function findUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, Math.min(SAMPLE_BYTES, bytes.length - (bytes.length % 2)))
  const nuls = [0, 0] as [even: number, odd: number]
  for (const [at, byte] of sample.entries()) if (byte === 0) nuls[at % 2 === 0 ? 0 : 1]++
  const [even, odd] = nuls
  if (Math.min(even, odd) > 0 || Math.max(even, odd) < sample.length * MIN_NULS) return undefined
  const encoding = odd > 0 ? 'utf-16le' : 'utf-16be'
  const text = new TextDecoder(encoding).decode(sample)
  return sample.length > 0 && /[\n\r;,\t]/.test(text) && !CONTROL.test(text) ? encoding : undefined
}

/** Minimum share of NULs among all bytes; in a text of Latin letters, the share is one half. */
const MIN_NULS = 0.4
/** Characters that no table contains */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the characters to detect
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]/

/** Characters 0x80 to 0x9f of Windows-1252. Node.js 20 decodes them as Latin-1 control characters. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  return text.replace(/[\u0080-\u009f]/g, (character) => WINDOWS[character.charCodeAt(0) - 0x80] as string)
}

/**
 * Returns whether the beginning of a file looks like text: binary files soon contain a byte that is not allowed in
 * text.
 */
export function looksLikeText(head: Uint8Array): boolean {
  if (findUtf16(head) !== undefined) return true
  return head.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b)
}
