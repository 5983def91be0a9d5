const FRAME = 0xfd2fb528
/** Maximum window size in bytes. RFC 8878 recommends that decoders support 8 MB; Anki uses a quarter of this. */
const MAX_WINDOW = 8 * 2 ** 20
const MAX_HEADER = 18
const CHECKSUM = 4

type State = 'frame' | 'block' | 'skip' | 'last'

/**
 * Parses the headers of frames and blocks of Zstandard data without decompressing the data. Detects a frame that
 * requires too much memory before the decoder allocates the memory.
 */
export class ZstdFrames {
  #state: State = 'frame'
  #rest = new Uint8Array(0)
  #skip = 0
  #hasChecksum = false
  #hasFrames = false

  /** Whether the data so far contains a frame and ends at a frame boundary */
  get isWhole(): boolean {
    return this.#hasFrames && this.#state === 'frame' && this.#rest.length === 0 && this.#skip === 0
  }

  /** Parses the next piece. Returns false if the data is not Zstandard or the window of a frame is too large. */
  follow(piece: Uint8Array): boolean {
    let bytes = piece
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + piece.length)
      bytes.set(this.#rest)
      bytes.set(piece, this.#rest.length)
    }
    let at = 0
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length - at)
      at += skipped
      this.#skip -= skipped
      if (this.#skip > 0) break
      if (this.#state === 'last') this.#state = 'frame'
      const length = this.#state === 'frame' ? this.#readFrame(bytes, at) : this.#readBlock(bytes, at)
      if (length === undefined) break
      if (length === 0) return false
      at += length
    }
    this.#rest = bytes.slice(at)
    return this.#rest.length <= MAX_HEADER
  }

  /**
   * Reads a frame header. Returns its length in bytes; undefined if the header is incomplete, 0 if the bytes are not a
   * frame header or the window is too large.
   */
  #readFrame(bytes: Uint8Array, at: number): number | undefined {
    if (bytes.length - at < 8) return undefined
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, bytes.length - at)
    const magic = view.getUint32(0, true)
    if (magic >>> 4 === 0x184d2a5) {
      this.#skip = view.getUint32(4, true)
      return 8
    }
    if (magic !== FRAME) return 0
    const flags = view.getUint8(4)
    const isSingle = (flags & 0x20) !== 0
    const dictionary = [0, 1, 2, 4][flags & 3] as number
    const size = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6] as number
    const length = 5 + (isSingle ? 0 : 1) + dictionary + size
    if (view.byteLength < length) return undefined
    const window = isSingle ? readSize(view, length - size, size) : windowOf(view.getUint8(5))
    if (window > MAX_WINDOW) return 0
    this.#hasChecksum = (flags & 4) !== 0
    this.#hasFrames = true
    this.#state = 'block'
    return length
  }

  #readBlock(bytes: Uint8Array, at: number): number | undefined {
    if (bytes.length - at < 3) return undefined
    const header = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
    const type = (header >> 1) & 3
    if (type === 3) return 0
    // A run-length block contains a single byte.
    this.#skip = type === 1 ? 1 : header >> 3
    if ((header & 1) !== 0) {
      this.#state = 'last'
      if (this.#hasChecksum) this.#skip += CHECKSUM
    }
    return 3
  }
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

function readSize(view: DataView, at: number, length: number): number {
  if (length === 1) return view.getUint8(at)
  if (length === 2) return view.getUint16(at, true) + 256
  return length === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true))
}
