/** First bytes of each file in a ZIP */
const FILE = [0x50, 0x4b, 3, 4]

/** Returns a function that counts the files of a ZIP in its chunks. */
export function countFiles(): (chunk: Uint8Array) => number {
  let matched = 0
  let files = 0
  return (chunk) => {
    for (const byte of chunk) {
      matched = byte === FILE[matched] ? matched + 1 : Number(byte === FILE[0])
      if (matched < FILE.length) continue
      files++
      matched = 0
    }
    return files
  }
}
