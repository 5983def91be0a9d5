/** What one statement looks up at most. */
const KEYS_AT_ONCE = 1_000

/** What is found for all the keys, by as few statements as keep each of them short. */
export async function readInChunks<K, T>(keys: readonly K[], read: (chunk: K[]) => Promise<T[]>): Promise<T[]> {
  const all: T[] = []
  for (let first = 0; first < keys.length; first += KEYS_AT_ONCE) {
    for (const row of await read(keys.slice(first, first + KEYS_AT_ONCE))) all.push(row)
  }
  return all
}
