const STEPS = [1, 2, 4, 6, 8, 10]

/** Returns an even round number that is not below the largest value. */
export function roundUp(largest: number): number {
  if (largest <= 2) return 2
  const unit = 10 ** Math.floor(Math.log10(largest))
  const steps = unit === 1 ? STEPS.slice(1) : STEPS
  return unit * (steps.find((step) => step * unit >= largest) as number)
}

/**
 * Returns the indices of the labels that fit into `width` if each needs `room`, evenly spaced and starting with the
 * first or the last label.
 */
export function labelsAt(count: number, width: number, room: number, from: 'first' | 'last'): number[] {
  const every = Math.max(1, Math.ceil((count * room) / Math.max(width, 1)))
  const steps = Array.from({ length: Math.ceil(count / every) }, (_, at) => at * every)
  return from === 'first' ? steps : steps.map((step) => count - 1 - step).reverse()
}
