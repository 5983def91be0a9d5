/** A field of a message; numbers come as bigint, texts and messages as bytes. */
export interface ProtoField {
  number: number
  value: bigint | Uint8Array
}

/**
 * The fields of a protobuf message in their order.
 * @throws RangeError when the bytes are no message
 */
export function* readFields(bytes: Uint8Array): Generator<ProtoField> {
  let at = 0
  const readVarint = () => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) break
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new RangeError('a number of the message does not end')
  }
  const take = (length: number) => {
    if (length > bytes.length - at) throw new RangeError('a field is longer than its message')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const key = Number(readVarint())
    const number = Math.floor(key / 8)
    const wire = key % 8
    if (number === 0) throw new RangeError('a field has no number')
    if (wire === 0) yield { number, value: readVarint() }
    else if (wire === 1) yield { number, value: take(8) }
    else if (wire === 2) yield { number, value: take(Number(readVarint())) }
    else if (wire === 5) yield { number, value: take(4) }
    else throw new RangeError('a field is of an unknown kind')
  }
}

/** The last text of that number, empty when there is none. @throws RangeError */
export function readText(bytes: Uint8Array, number: number): string {
  let text = ''
  for (const field of readFields(bytes)) {
    if (field.number === number && typeof field.value !== 'bigint') text = new TextDecoder().decode(field.value)
  }
  return text
}

/** The last number of that number, 0 when there is none. @throws RangeError */
export function readNumber(bytes: Uint8Array, number: number): number {
  let found = 0
  for (const field of readFields(bytes)) {
    if (field.number === number && typeof field.value === 'bigint') found = Number(field.value)
  }
  return found
}
