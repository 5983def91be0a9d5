import { learnOffset } from './clock-offset.js'
import { readStored, writeStored } from './storage.js'

const KEY = 'training.clock'

/** The service's clock minus this device's, in milliseconds */
let offset = readStored<number>(KEY) ?? 0

/** Returns the time of the service's clock, as far as its offset is known. */
export function serviceTime(): Date {
  return new Date(Date.now() + offset)
}

/** Updates the offset from a response: the service's time in a header, and the local times of request and response. */
export function noteDate(header: string | null, askedAt: number, answeredAt: number): void {
  const found = learnOffset(offset, header, askedAt, answeredAt)
  if (found === offset) return
  offset = found
  writeStored(KEY, offset)
}
