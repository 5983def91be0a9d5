import { findMedia } from '../../../../domain/anki/index.js'
import { EntryTooLarge } from '../../../../domain/content/refusals.js'
import { MAX_PICTURE_BYTES, PICTURE_TOO_LARGE } from '../../../../domain/pictures/index.js'
import type { FoundPicture } from '../../folder/pictures.js'
import { readEntry, type UnpackedCollection } from './anki-package.js'
import type { PictureStore } from './picture-store.js'
import { joinPieces, type Zip } from './zip.js'

/** Pictures that the notes of a package reference, unpacked on first use. */
export class PackagePictures {
  readonly #zip: Zip
  readonly #collection: UnpackedCollection
  readonly #store: PictureStore
  readonly #known = new Map<string, FoundPicture>()

  constructor(zip: Zip, collection: UnpackedCollection, store: PictureStore) {
    this.#zip = zip
    this.#collection = collection
    this.#store = store
  }

  /** Returns the picture or its fault; undefined if it has not been unpacked yet. */
  find(src: string): FoundPicture | undefined {
    return this.#known.get(src)
  }

  async unpack(src: string): Promise<void> {
    this.#known.set(src, await this.#read(src))
  }

  async #read(src: string): Promise<FoundPicture> {
    const entry = findMedia(this.#collection.media, src)
    if (entry === undefined || !this.#zip.has(entry)) return 'ist nicht im Paket'
    const bytes = await this.#inflate(entry)
    return bytes === undefined ? PICTURE_TOO_LARGE : this.#store.keep(bytes)
  }

  async #inflate(entry: string): Promise<Uint8Array | undefined> {
    try {
      return await joinPieces(readEntry(this.#zip, this.#collection.format, entry, MAX_PICTURE_BYTES))
    } catch (error) {
      if (error instanceof EntryTooLarge) return undefined
      throw error
    }
  }
}
