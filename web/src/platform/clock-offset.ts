/** Tolerance of the estimate in milliseconds; needed because header dates have whole seconds */
const TOLERANCE_MS = 2_000

/**
 * Returns the service's clock minus this device's in milliseconds, estimated from a response. Returns `known` if it
 * fits the response or the header is missing or invalid, and 0 if the clocks agree within the tolerance.
 */
export function learnOffset(known: number, header: string | null, askedAt: number, answeredAt: number): number {
  const date = header === null ? Number.NaN : Date.parse(header)
  if (Number.isNaN(date) || answeredAt < askedAt) return known
  const measured = date + 500 - (askedAt + answeredAt) / 2
  const doubt = TOLERANCE_MS + (answeredAt - askedAt) / 2
  if (Math.abs(measured - known) <= doubt) return known
  return Math.abs(measured) <= doubt ? 0 : Math.round(measured)
}
