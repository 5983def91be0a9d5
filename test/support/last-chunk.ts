const LAST_CHUNK = '0\r\n\r\n'

/** Returns a function that takes what a socket receives and returns whether a chunked response is complete. */
export function detectLastChunk(): (received: Buffer) => boolean {
  let end = ''
  return (received) => {
    // The last chunk may be split over two reads.
    end = (end + received.subarray(-LAST_CHUNK.length).toString('latin1')).slice(-LAST_CHUNK.length)
    return end === LAST_CHUNK
  }
}
