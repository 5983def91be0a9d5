import { readStored, USER_KEY_PREFIX, writeStored } from './storage.js'

/** Width and height in pixels */
export type Size = readonly [width: number, height: number]

const KEY = `${USER_KEY_PREFIX}pictures`
/** Maximum number of stored sizes; the oldest are dropped. */
const MAX_SIZES = 400
/** Number of characters of the hash that identify a picture */
const NAME_LENGTH = 16

let sizes: Map<string, Size> | undefined

function all(): Map<string, Size> {
  sizes ??= new Map(readStored<[string, Size][]>(KEY) ?? [])
  return sizes
}

export function sizeOf(sha: string): Size | undefined {
  return all().get(sha.slice(0, NAME_LENGTH))
}

export function storeSize(sha: string, width: number, height: number): void {
  if (width === 0 || height === 0 || sizeOf(sha) !== undefined) return
  all().set(sha.slice(0, NAME_LENGTH), [width, height])
  writeStored(KEY, [...all()].slice(-MAX_SIZES))
}
