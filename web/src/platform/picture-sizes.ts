import { OWN, readStored, writeStored } from './storage.js'

/** Width and height in pixels. */
export type Size = readonly [width: number, height: number]

const KEY = `${OWN}pictures`
/** So many sizes are remembered; the oldest go first. */
const MAX_SIZES = 400
/** Enough of a hash to tell pictures apart. */
const NAME_LENGTH = 16

let sizes: Map<string, Size> | undefined

function all(): Map<string, Size> {
  sizes ??= new Map(readStored<[string, Size][]>(KEY) ?? [])
  return sizes
}

/** How large the picture of that hash is, when it was seen before. */
export function sizeOf(sha: string): Size | undefined {
  return all().get(sha.slice(0, NAME_LENGTH))
}

/** Remembers it, so that the next page has its room ready. */
export function learnSize(sha: string, width: number, height: number): void {
  if (width === 0 || height === 0 || sizeOf(sha) !== undefined) return
  all().set(sha.slice(0, NAME_LENGTH), [width, height])
  writeStored(KEY, [...all()].slice(-MAX_SIZES))
}
