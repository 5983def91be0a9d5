import { estimateOffset } from './clock-offset.js'
import { readStored, writeStored } from './storage.js'

const KEY = 'training.clock'

/** The service's clock minus this device's, in milliseconds */
let offset = readStored<number>(KEY) ?? 0

/** Returns the time of the service's clock; the device's time while the difference is unknown. */
export function serviceTime(): Date {
  return new Date(Date.now() + offset)
}

/** Updates the offset from a response: the service's time in a header, and the local times of request and response. */
export function updateClockOffset(header: string | null, requestedAt: number, respondedAt: number): void {
  const found = estimateOffset(offset, header, requestedAt, respondedAt)
  if (found === offset) return
  offset = found
  writeStored(KEY, offset)
}
