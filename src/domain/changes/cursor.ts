/** Number of horizons that a cursor distinguishes; the product of this and the highest id is a safe integer. */
const SLOTS = 2 ** 22
/** Length of a slot. Half of the slots are 48 days, longer than a caller reads pages of one run. */
const SLOT_MS = 2_000

export interface ChangeCursor {
  /** The page continues after this id. */
  id: number
  /** Horizon of the first page; earlier by less than two seconds */
  horizon: Date
}

/**
 * Returns the cursor of the next page of changes as a safe integer, which contains the id and the horizon modulo 97 days.
 * The last page must repeat the horizon of the first one: a change that a page has missed may be older than the last page.
 * @param id integer of 32 bits
 */
export function writeCursor({ id, horizon }: ChangeCursor): number {
  return id * SLOTS + (Math.floor(horizon.getTime() / SLOT_MS) % SLOTS)
}

/**
 * Reads a cursor whose horizon is less than 48 days from now, also if the clock was set back since.
 * @param now by the clock of the database
 */
export function readCursor(cursor: number, now: Date): ChangeCursor {
  const id = Math.floor(cursor / SLOTS)
  const current = Math.floor(now.getTime() / SLOT_MS)
  const age = (((current - (cursor - id * SLOTS)) % SLOTS) + SLOTS) % SLOTS
  const signedAge = age < SLOTS / 2 ? age : age - SLOTS
  return { id, horizon: new Date((current - signedAge) * SLOT_MS) }
}
