import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IncomingPicture } from '../../../domain/content/incoming.js'
import { findPictureType, MAX_PICTURE_BYTES } from '../../../domain/content/pictures.js'
import { FILE_TOO_LARGE } from '../../../domain/refusals.js'
import { type Found, NO_PICTURE, PICTURE_TOO_LARGE } from '../folder-pictures.js'
import { LIMITS } from './limits.js'

/** The pictures of an upload, each once, in its folder. */
export class PictureStore {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #pictures = new Map<string, IncomingPicture>()
  #bytes = 0

  constructor(folder: string, maxBytes: number = LIMITS.pictureBytes) {
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  /** The picture, or what is wrong with it. @throws FILE_TOO_LARGE when all of them together are */
  keep(bytes: Uint8Array): Found {
    if (bytes.length > MAX_PICTURE_BYTES) return PICTURE_TOO_LARGE
    const extension = findPictureType(bytes)
    if (extension === undefined) return NO_PICTURE
    const sha = hash('sha256', bytes, 'hex')
    let picture = this.#pictures.get(sha)
    if (picture === undefined) {
      this.#bytes += bytes.length
      if (this.#bytes > this.#maxBytes) throw FILE_TOO_LARGE
      picture = { sha, extension, size: bytes.length, path: join(this.#folder, `${sha}.${extension}`) }
      writeFileSync(picture.path, bytes, { mode: 0o600 })
      this.#pictures.set(sha, picture)
    }
    return picture
  }

  get pictures(): IncomingPicture[] {
    return [...this.#pictures.values()]
  }
}
