import { Decompress } from 'fzstd'
import { ZstdFrames } from '../../../domain/anki/zstd-frames.js'
import { DamagedPackage, FILE_TOO_LARGE } from '../../../domain/refusals.js'

/**
 * Inflates Zstandard piece by piece.
 * @throws DamagedPackage when it is not whole, FILE_TOO_LARGE as soon as there are more bytes than `limit`
 */
export async function* unzstd(pieces: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  const frames = new ZstdFrames()
  let inflated: Uint8Array[] = []
  let length = 0
  const decompress = new Decompress((piece) => {
    length += piece.length
    if (length > limit) throw FILE_TOO_LARGE
    inflated.push(piece)
  })
  for await (const piece of pieces) {
    // The library would set aside whatever memory a frame asks for.
    if (!frames.follow(piece)) throw damaged()
    for (let at = 0; at < piece.length; at += STEP) {
      try {
        decompress.push(piece.subarray(at, at + STEP))
      } catch (error) {
        throw error === FILE_TOO_LARGE ? error : damaged()
      }
      yield* inflated
      inflated = []
    }
  }
  if (!frames.isWhole) throw damaged()
}

/** Of this much compressed data the results are held in memory. */
const STEP = 2 ** 14

function damaged(): DamagedPackage {
  return new DamagedPackage('die Komprimierung ist nicht lesbar')
}
