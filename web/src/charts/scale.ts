const STEPS = [1, 2, 4, 6, 8, 10]

/** Rounds up to an even round number, such as 4, 20 or 600. */
export function roundUp(largest: number): number {
  if (largest <= 2) return 2
  const unit = 10 ** Math.floor(Math.log10(largest))
  const steps = unit === 1 ? STEPS.slice(1) : STEPS
  return unit * (steps.find((step) => step * unit >= largest) as number)
}

/**
 * Returns the indices of evenly spaced labels that fit into `width`, starting with the first or the last label. Each
 * label needs the width `room`.
 */
export function labelsAt(count: number, width: number, room: number, from: 'first' | 'last'): number[] {
  const every = Math.max(1, Math.ceil((count * room) / Math.max(width, 1)))
  const steps = Array.from({ length: Math.ceil(count / every) }, (_, at) => at * every)
  return from === 'first' ? steps : steps.map((step) => count - 1 - step).reverse()
}
