/** A field of a protobuf message; varints are bigint, all other values are bytes. */
export interface ProtoField {
  number: number
  value: bigint | Uint8Array
}

/**
 * Yields the fields of a protobuf message in order.
 * @throws RangeError if the bytes are not a protobuf message
 * @example [...readFields(Uint8Array.of(8, 3))] // [{ number: 1, value: 3n }]
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

/**
 * Returns the value of the last string field with this number; an empty string if there is none.
 * @throws RangeError if the bytes are not a protobuf message
 * @example readText(Uint8Array.of(10, 1, 97), 1) // 'a'
 */
export function readText(bytes: Uint8Array, number: number): string {
  let text = ''
  for (const field of readFields(bytes)) {
    if (field.number === number && typeof field.value !== 'bigint') text = new TextDecoder().decode(field.value)
  }
  return text
}

/**
 * Returns the value of the last varint field with this number; 0 if there is none.
 * @throws RangeError if the bytes are not a protobuf message
 * @example readNumber(Uint8Array.of(8, 3), 1) // 3
 */
export function readNumber(bytes: Uint8Array, number: number): number {
  let found = 0
  for (const field of readFields(bytes)) {
    if (field.number === number && typeof field.value === 'bigint') found = Number(field.value)
  }
  return found
}
