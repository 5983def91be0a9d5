/**
 * Reads the rows of all keys in chunks of keys, so that no statement runs long.
 * @param keysAtOnce maximum number of keys per statement
 */
export async function readInChunks<K, T>(
  keys: readonly K[],
  read: (chunk: K[]) => Promise<T[]>,
  keysAtOnce = 1_000,
): Promise<T[]> {
  const all: T[] = []
  for (let first = 0; first < keys.length; first += keysAtOnce) {
    for (const row of await read(keys.slice(first, first + keysAtOnce))) all.push(row)
  }
  return all
}
