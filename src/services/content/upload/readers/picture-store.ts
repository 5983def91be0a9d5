import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MediaFull } from '../../../../domain/content/refusals.js'
import type { IncomingPicture } from '../../../../domain/content/upload/incoming.js'
import { checkPicture } from '../../../../domain/pictures/index.js'
import type { FoundPicture } from '../../folder/pictures.js'
import { LIMITS } from './limits.js'

/** Stores the pictures of an upload as files in its work folder, without duplicates. */
export class PictureStore {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #pictures = new Map<string, IncomingPicture>()
  #bytes = 0

  constructor(folder: string, maxBytes: number = LIMITS.pictureBytes) {
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  /** Stores a picture; returns it, or its fault. @throws MediaFull if the total size exceeds the limit */
  keep(bytes: Uint8Array): FoundPicture {
    const checked = checkPicture(bytes)
    if ('problem' in checked) return checked.problem
    const { extension } = checked
    const sha = hash('sha256', bytes, 'hex')
    let picture = this.#pictures.get(sha)
    if (picture === undefined) {
      this.#bytes += bytes.length
      if (this.#bytes > this.#maxBytes) throw new MediaFull(this.#maxBytes / 2 ** 20)
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
