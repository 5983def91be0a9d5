import { posix } from 'node:path'

export const MAX_PICTURE_BYTES = 2 * 2 ** 20

export type PictureExtension = 'png' | 'jpg' | 'gif' | 'webp' | 'avif'

export const PICTURE_TYPES: Readonly<Record<PictureExtension, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
}

const PICTURE_HEAD_BYTES = 64

const MEDIA = /^media\/(?<sha>[0-9a-f]{64})\.(?<extension>png|jpg|gif|webp|avif)$/

/**
 * Returns the type of a picture, recognised by its first bytes; undefined if it is not supported.
 * @example findPictureType(Buffer.from('GIF89a')) // 'gif'
 */
export function findPictureType(head: Uint8Array): PictureExtension | undefined {
  const text = Buffer.from(head.subarray(0, PICTURE_HEAD_BYTES)).toString('latin1')
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (text.startsWith('\xff\xd8\xff')) return 'jpg'
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif'
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'webp'
  return isAvif(text) ? 'avif' : undefined
}

/** Returns whether the first box lists an AVIF brand: the major brand or, after the version, a compatible one. */
function isAvif(text: string): boolean {
  if (text.slice(4, 8) !== 'ftyp') return false
  const [a = 0, b = 0, c = 0, d = 0] = [...text.slice(0, 4)].map((character) => character.charCodeAt(0))
  const end = Math.min(((a * 256 + b) * 256 + c) * 256 + d, text.length)
  for (let at = 8; at + 4 <= end; at += 4) {
    if (at !== 12 && /^avi[fs]$/.test(text.slice(at, at + 4))) return true
  }
  return false
}

export function mediaTarget({ sha, extension }: { sha: string; extension: PictureExtension }): string {
  return `media/${sha}.${extension}`
}

/**
 * Parses the Markdown target of a stored picture. Returns undefined for any other target.
 * @example parseMediaTarget(`media/${'0'.repeat(64)}.png`)?.extension // 'png'
 */
export function parseMediaTarget(target: string): { sha: string; extension: PictureExtension } | undefined {
  const { sha, extension } = MEDIA.exec(target)?.groups ?? {}
  return sha === undefined ? undefined : { sha, extension: extension as PictureExtension }
}

/**
 * Returns the path of a picture relative to the content folder, with `/`. Returns null if the path lies outside of the
 * folder, is absolute, ends with `/` or contains a backslash or NUL. Returns undefined for a target that is not a path:
 * a URL such as `https://…`, or only a query or fragment.
 * @param file file that shows the picture, relative to the content folder
 * @param target as returned by `findPictures`
 * @example resolvePicture('decks/git.md', '../bilder/a.png') // 'bilder/a.png'
 */
export function resolvePicture(file: string, target: string): string | null | undefined {
  const written = target.replace(/[?#].*$/s, '')
  if (written === '' || /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(written)) return undefined
  const path = decodePath(written)
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0')) return null
  const place = posix.join(posix.dirname(file), path)
  return /^\.\.?(?:\/|$)|\/$/.test(place) ? null : place.normalize('NFC')
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
