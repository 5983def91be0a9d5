import { findPictureType, MAX_PICTURE_BYTES, type PictureExtension } from './files.js'
import { describeOversize } from './size.js'

const MEGABYTE = 2 ** 20

// Each fault of a picture is the end of a German sentence.
export const PICTURE_TOO_LARGE = `ist größer als ${MAX_PICTURE_BYTES / MEGABYTE} MB`
export const MISSING_PICTURE = 'gibt es nicht'
const NO_PICTURE = 'ist weder PNG noch JPEG, GIF, WebP oder AVIF'

/**
 * Returns the type of a picture that can be stored, or its problem as the end of a German sentence.
 * @example checkPicture(Buffer.from('GIF89a')) // { extension: 'gif' }
 */
export function checkPicture(bytes: Uint8Array): { extension: PictureExtension } | { problem: string } {
  if (bytes.length > MAX_PICTURE_BYTES) return { problem: PICTURE_TOO_LARGE }
  const extension = findPictureType(bytes)
  if (extension === undefined) return { problem: NO_PICTURE }
  const problem = describeOversize(bytes, extension)
  return problem === undefined ? { extension } : { problem }
}
