const startupCodes = { cancel: 80877102, ssl: 80877103, gss: 80877104 }

export type ClientInput =
  | { kind: 'messages'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'encryption' }
  | { kind: 'end' }

/**
 * Returns a function that collects client input and returns only complete messages, because a partial message makes
 * PGlite loop forever. Format: https://www.postgresql.org/docs/18/protocol-message-formats.html
 */
export function createFramer(): (pieces: Buffer[]) => ClientInput[] {
  let pieces: Buffer[] = []
  let received = 0
  let needed = 8
  let started = false

  return (added) => {
    pieces.push(...added)
    for (const piece of added) received += piece.length
    if (received < needed) return []

    const bytes = Buffer.concat(pieces)
    const inputs: ClientInput[] = []
    let offset = 0
    if (!started) {
      while (!started && bytes.length - offset >= 8) {
        const length = checkLength(bytes.readUInt32BE(offset), 8)
        const code = bytes.readUInt32BE(offset + 4)
        if (bytes.length - offset < length) break
        if (code === startupCodes.cancel) inputs.push({ kind: 'end' })
        else if (code === startupCodes.ssl || code === startupCodes.gss) inputs.push({ kind: 'encryption' })
        else {
          started = true
          inputs.push({ kind: 'messages', bytes: copy(bytes, offset, offset + length) })
        }
        offset += length
      }
    }

    const start = offset
    let ended = false
    needed = started ? 5 : 8
    while (started && !ended && bytes.length - offset >= 5) {
      const length = 1 + checkLength(bytes.readUInt32BE(offset + 1), 4)
      if (bytes.length - offset < length) {
        needed = length
        break
      }
      ended = bytes[offset] === 0x58 // Terminate; not forwarded, because it would end PGlite itself.
      if (!ended) offset += length
    }
    if (offset > start) inputs.push({ kind: 'messages', bytes: copy(bytes, start, offset) })
    if (ended) inputs.push({ kind: 'end' })

    pieces = [bytes.subarray(offset)]
    received = bytes.length - offset
    return inputs
  }
}

function checkLength(length: number, least: number): number {
  if (length < least || length > 0x3fffffff) throw new Error(`invalid length of a protocol message: ${length}`)
  return length
}

/** Copies the bytes to a separate buffer: `postMessage` would clone the whole buffer behind a view. */
function copy(bytes: Buffer, start: number, end: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.subarray(start, end))
}
