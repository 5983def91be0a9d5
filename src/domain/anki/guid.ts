import { createHash } from 'node:crypto'

/** Alphabet of Anki's guids: printable ASCII without space, single and double quotes and backslash */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&()*+,-./:;<=>?@[]^_`{|}~'

export interface CardIdentity {
  id: number
  created_at: Date
  /** Guid of the Anki note; null, like `ord`, for cards that do not come from Anki */
  guid: string | null
  /** Index of the card template or cloze in Anki, from 0 */
  ord: number | null
}

/**
 * Returns the guid of a card's note in a package. A card with template index 0 keeps the guid of its Anki note. A card
 * with another index becomes a separate note, whose guid ends with a space and the index; `splitGuid` reverses this. A
 * card that does not come from Anki gets a guid derived from its id and creation time, which never change.
 * @example guidOf({ id: 7, created_at: new Date(), guid: 'Abc', ord: 2 }) // 'Abc 2'
 */
export function guidOf({ id, created_at, guid, ord }: CardIdentity): string {
  if (guid !== null) return ord === 0 || ord === null ? guid : `${guid} ${ord}`
  const digest = createHash('sha256').update(`${id}/${created_at.toISOString()}`).digest()
  return toBase91(digest.readBigUInt64BE())
}

/**
 * Splits a guid returned by `guidOf` into the guid of the Anki note and the template index, which is 0 if the guid does
 * not end with an index.
 * @example splitGuid('Abc 2') // { guid: 'Abc', ord: 2 }
 */
export function splitGuid(guid: string): { guid: string; ord: number } {
  const { note, ord } = /^(?<note>.+) (?<ord>[1-9]\d{0,5})$/s.exec(guid)?.groups ?? {}
  return note === undefined ? { guid, ord: 0 } : { guid: note, ord: Number(ord) }
}

function toBase91(value: bigint): string {
  const base = BigInt(ALPHABET.length)
  let text = ''
  for (let rest = value; rest > 0n; rest /= base) text = ALPHABET[Number(rest % base)] + text
  return text
}
