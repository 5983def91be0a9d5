/** Number of horizons that a cursor distinguishes; the product of this and the highest id is a safe integer. */
const SLOTS = 2 ** 22
/** Length of a slot; all slots are 97 days, longer than changes are kept. */
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

/** @param now not earlier than the horizon in the cursor, by the clock of the database */
export function readCursor(cursor: number, now: Date): ChangeCursor {
  const id = Math.floor(cursor / SLOTS)
  const current = Math.floor(now.getTime() / SLOT_MS)
  const age = (((current - (cursor - id * SLOTS)) % SLOTS) + SLOTS) % SLOTS
  return { id, horizon: new Date((current - age) * SLOT_MS) }
}
