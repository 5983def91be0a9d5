import { readFields, readNumber, readText } from './protobuf.js'

/** Maps file names in notes (NFC) to names of package entries (`0`, `1`, …) */
export type MediaList = Map<string, string>

/**
 * Parses the media list of legacy packages, such as `{"0":"a.png"}`. Returns undefined if the text is not a JSON
 * object. Ignores entries whose key is not a number or whose value is not a string.
 * @example parseMediaJson('{"0":"a.png"}') // Map { 'a.png' => '0' }
 */
export function parseMediaJson(text: string): MediaList | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const list: MediaList = new Map()
    for (const [entry, name] of Object.entries(value)) if (typeof name === 'string') add(list, name, entry)
    return list
  } catch {
    return undefined
  }
}

/**
 * Parses the media list of current packages; returns undefined if the bytes are not a valid protobuf message.
 * @example parseMediaMessage(Uint8Array.of(10, 3, 10, 1, 97)) // Map { 'a' => '0' }
 */
export function parseMediaMessage(bytes: Uint8Array): MediaList | undefined {
  try {
    const list: MediaList = new Map()
    let index = 0
    for (const { number, value } of readFields(bytes)) {
      if (number !== ENTRIES || typeof value === 'bigint') continue
      const legacy = readNumber(value, LEGACY_ENTRY)
      add(list, readText(value, NAME), String(legacy || index))
      index++
    }
    return list
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const ENTRIES = 1
const NAME = 1
const LEGACY_ENTRY = 255

function add(list: MediaList, name: string, entry: string): void {
  if (/^\d{1,9}$/.test(entry)) list.set(name.normalize('NFC'), entry)
}

/**
 * Returns the name of the package entry of a picture; undefined if the list does not contain the picture.
 * @param src address of the picture in a note; may be percent-encoded
 * @example findMedia(new Map([['ä.png', '0']]), '%C3%A4.png') // '0'
 */
export function findMedia(list: MediaList, src: string): string | undefined {
  const name = src.trim().normalize('NFC')
  const entry = list.get(name)
  if (entry !== undefined || !name.includes('%')) return entry
  try {
    return list.get(decodeURIComponent(name).normalize('NFC'))
  } catch {
    return undefined
  }
}
