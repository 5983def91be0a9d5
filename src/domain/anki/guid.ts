import { createHash } from 'node:crypto'

/** What Anki's own ids are written with: printable ASCII without space, quotes and the backslash. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&()*+,-./:;<=>?@[]^_`{|}~'

/** What tells one of our cards from all others, wherever it goes; a backup keeps all of it. */
export interface CardIdentity {
  id: number
  created_at: Date
  /** Of the Anki note that the card came from, and its template's number. */
  guid: string | null
  ord: number | null
}

/**
 * The guid of the note that a card becomes in a package. An imported card keeps its own. Of the other cards of its note
 * each is a note of its own here, whose guid names the template behind a space, which `splitGuid` takes off again. Every
 * other card has one that depends on its row alone: text, deck and key may change.
 */
export function guidOf({ id, created_at, guid, ord }: CardIdentity): string {
  if (guid !== null) return ord === 0 || ord === null ? guid : `${guid} ${ord}`
  const digest = createHash('sha256').update(`${id}/${created_at.toISOString()}`).digest()
  return toBase91(digest.readBigUInt64BE())
}

/** The note and template that a guid of one of our packages stands for. */
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
