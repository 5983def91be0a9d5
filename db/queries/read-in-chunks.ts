/** Maximum number of keys per statement */
const KEYS_AT_ONCE = 1_000

/** Reads the rows of all keys in chunks of keys, so that no statement runs long. */
export async function readInChunks<K, T>(keys: readonly K[], read: (chunk: K[]) => Promise<T[]>): Promise<T[]> {
  const all: T[] = []
  for (let first = 0; first < keys.length; first += KEYS_AT_ONCE) {
    for (const row of await read(keys.slice(first, first + KEYS_AT_ONCE))) all.push(row)
  }
  return all
}
