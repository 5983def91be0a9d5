import { posix } from 'node:path'
import type { IncomingPicture } from './incoming.js'

/** Bytes of one picture at most. */
export const MAX_PICTURE_BYTES = 2 * 2 ** 20

export type PictureExtension = IncomingPicture['extension']

/** The content types of the pictures that are kept. */
export const PICTURE_TYPES: Readonly<Record<PictureExtension, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
}

/** So many bytes of a file tell what it is. */
export const PICTURE_HEAD_BYTES = 64

const MEDIA = /^media\/(?<sha>[0-9a-f]{64})\.(?<extension>png|jpg|gif|webp|avif)$/

/** What the first bytes say of a file, whatever it is called; undefined when it is no picture that is kept. */
export function findPictureType(head: Uint8Array): PictureExtension | undefined {
  const text = Buffer.from(head.subarray(0, PICTURE_HEAD_BYTES)).toString('latin1')
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (text.startsWith('\xff\xd8\xff')) return 'jpg'
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif'
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'webp'
  return isAvif(text) ? 'avif' : undefined
}

/** The first box names the main brand, then a version, then all brands that the file fits. */
function isAvif(text: string): boolean {
  if (text.slice(4, 8) !== 'ftyp') return false
  const [a = 0, b = 0, c = 0, d = 0] = [...text.slice(0, 4)].map((character) => character.charCodeAt(0))
  const end = Math.min(((a * 256 + b) * 256 + c) * 256 + d, text.length)
  for (let at = 8; at + 4 <= end; at += 4) {
    if (at !== 12 && /^avi[fs]$/.test(text.slice(at, at + 4))) return true
  }
  return false
}

/** What stands in Markdown for a kept picture: `media/<sha>.<extension>`. */
export function mediaTarget({ sha, extension }: Pick<IncomingPicture, 'sha' | 'extension'>): string {
  return `media/${sha}.${extension}`
}

/** Undefined when the target is none of a kept picture. */
export function parseMediaTarget(target: string): { sha: string; extension: PictureExtension } | undefined {
  const { sha, extension } = MEDIA.exec(target)?.groups ?? {}
  return sha === undefined ? undefined : { sha, extension: extension as PictureExtension }
}

/**
 * Where a picture of a file lies: the path relative to the folder of the content, with `/`; null when that is not inside
 * of it. Undefined for a target that is no path, as `https://…` is.
 * @param file the file that shows it, relative to the folder of the content
 * @param target as `findPictures` gives it
 */
export function resolvePicture(file: string, target: string): string | null | undefined {
  const written = target.replace(/[?#].*$/s, '')
  if (written === '' || /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(written)) return undefined
  const path = decodePath(written)
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0')) return null
  const place = posix.join(posix.dirname(file), path)
  return /^\.\.?(?:\/|$)|\/$/.test(place) ? null : place.normalize('NFC')
}

/** A name with a stray % is taken as it is written. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
