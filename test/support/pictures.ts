import { hash, randomBytes } from 'node:crypto'

/** Returns a GIF of one pixel. The seed is appended after its end, so that different seeds give different files. */
export function gifOf(seed: string | number): Buffer {
  const pixel = 'R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs='
  return Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.from(String(seed))])
}

export function largePng(bytes: number): Buffer {
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(bytes - 8)])
}

export function targetOf(bytes: Buffer, extension = 'gif'): string {
  return `media/${hash('sha256', bytes, 'hex')}.${extension}`
}
