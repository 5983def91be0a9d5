import { findMedia } from '../../../domain/anki/media-list.js'
import { MAX_PICTURE_BYTES } from '../../../domain/content/pictures.js'
import { FILE_TOO_LARGE } from '../../../domain/refusals.js'
import { type Found, PICTURE_TOO_LARGE } from '../folder-pictures.js'
import type { PictureStore } from './picture-store.js'
import type { UnpackedCollection } from './unpack-collection.js'
import { unzstd } from './unzstd.js'
import type { Zip } from './zip.js'

/** The pictures that the notes of a package name, unpacked when they are first wanted. */
export class PackagePictures {
  readonly #zip: Zip
  readonly #collection: UnpackedCollection
  readonly #store: PictureStore
  /** By the address in the note. */
  readonly #known = new Map<string, Found>()

  constructor(zip: Zip, collection: UnpackedCollection, store: PictureStore) {
    this.#zip = zip
    this.#collection = collection
    this.#store = store
  }

  /** Undefined when it has not been unpacked. */
  find(src: string): Found | undefined {
    return this.#known.get(src)
  }

  async unpack(src: string): Promise<void> {
    this.#known.set(src, await this.#read(src))
  }

  async #read(src: string): Promise<Found> {
    const entry = findMedia(this.#collection.media, src)
    if (entry === undefined || !this.#zip.has(entry)) return 'ist nicht im Paket'
    const bytes = await this.#inflate(entry)
    return bytes === undefined ? PICTURE_TOO_LARGE : this.#store.keep(bytes)
  }

  /** Undefined when it is larger than a picture may be. */
  async #inflate(entry: string): Promise<Uint8Array | undefined> {
    try {
      const pieces = this.#zip.read(entry, MAX_PICTURE_BYTES)
      const parts: Uint8Array[] = []
      const isPacked = this.#collection.format === 'latest'
      for await (const part of isPacked ? unzstd(pieces, MAX_PICTURE_BYTES) : pieces) parts.push(part)
      return Buffer.concat(parts)
    } catch (error) {
      if (error === FILE_TOO_LARGE) return undefined
      throw error
    }
  }
}
