/** Tolerance of the estimate in milliseconds; needed because header dates have whole seconds */
const TOLERANCE_MS = 2_000

/**
 * Estimates the service's clock minus this device's, in milliseconds, from a response. Returns `known` if it agrees
 * with the response, if the header is missing or invalid, or if this device's clock was set back. Returns 0 if the
 * clocks agree within the tolerance.
 */
export function estimateOffset(known: number, header: string | null, requestedAt: number, respondedAt: number): number {
  const date = header === null ? Number.NaN : Date.parse(header)
  if (Number.isNaN(date) || respondedAt < requestedAt) return known
  const measured = date + 500 - (requestedAt + respondedAt) / 2
  const doubt = TOLERANCE_MS + (respondedAt - requestedAt) / 2
  if (Math.abs(measured - known) <= doubt) return known
  return Math.abs(measured) <= doubt ? 0 : Math.round(measured)
}
