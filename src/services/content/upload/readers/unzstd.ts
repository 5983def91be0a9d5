import { Decompress } from 'fzstd'
import { ZstdFrames } from '../../../../domain/anki/index.js'
import { DamagedPackage, type FileTooLarge } from '../../../../domain/content/refusals.js'

/**
 * Decompresses Zstandard data as a stream.
 * @param limit maximum number of decompressed bytes
 * @throws DamagedPackage if the data is invalid or incomplete, or requires too much memory
 * @throws `tooLarge` as soon as `limit` is exceeded
 */
export async function* unzstd(
  pieces: AsyncIterable<Uint8Array>,
  tooLarge: FileTooLarge,
  limit: number,
): AsyncGenerator<Uint8Array> {
  const frames = new ZstdFrames()
  let inflated: Uint8Array[] = []
  let length = 0
  const decompress = new Decompress((piece) => {
    length += piece.length
    if (length > limit) throw tooLarge
    inflated.push(piece)
  })
  for await (const piece of pieces) {
    // Rejects frames that request too much memory, because the library would allocate it.
    if (!frames.follow(piece)) throw damaged()
    for (let at = 0; at < piece.length; at += STEP) {
      try {
        decompress.push(piece.subarray(at, at + STEP))
      } catch (error) {
        throw error === tooLarge ? error : damaged()
      }
      yield* inflated
      inflated = []
    }
  }
  if (!frames.isWhole) throw damaged()
}

/** Number of compressed bytes per step; the output of one step is held in memory */
const STEP = 2 ** 14

function damaged(): DamagedPackage {
  return new DamagedPackage('die Komprimierung ist nicht lesbar')
}
