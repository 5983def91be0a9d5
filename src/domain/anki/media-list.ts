import { readFields, readNumber, readText } from './protobuf.js'

/** Which entry of the package holds a file: names as notes use them, NFC, and `0`, `1` … as entries are called. */
export type MediaList = Map<string, string>

/** The list of legacy packages, `{"0":"a.png"}`; undefined when it is none. */
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

/** The list of the latest packages; undefined when it is none. */
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

/** The entry of a picture's address in a note, which may be escaped as in URLs. */
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
