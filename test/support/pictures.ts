import { hash, randomBytes } from 'node:crypto'

/** The smallest picture there is, one pixel, with something behind its end that makes it another one. */
export function gifOf(seed: string | number): Buffer {
  const pixel = 'R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs='
  return Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.from(String(seed))])
}

/** Bytes that begin like a PNG. */
export function largePng(bytes: number): Buffer {
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(bytes - 8)])
}

/** What stands in Markdown for the stored picture. */
export function targetOf(bytes: Buffer, extension = 'gif'): string {
  return `media/${hash('sha256', bytes, 'hex')}.${extension}`
}
