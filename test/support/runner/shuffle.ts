import { mulberry32 } from '../random.js'

/** Returns the list in an order that depends only on the seed (a 32-bit integer). */
export function shuffle<T>(list: readonly T[], seed: number): T[] {
  const random = mulberry32(seed)
  const shuffled = [...list]
  for (let end = shuffled.length - 1; end > 0; end--) {
    const other = Math.floor(random() * (end + 1))
    ;[shuffled[end], shuffled[other]] = [shuffled[other] as T, shuffled[end] as T]
  }
  return shuffled
}
