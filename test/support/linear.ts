const GROWTH = 8
/** Maximum ratio of the times. The sizes have the ratio `GROWTH`, so linear work gives 8 and quadratic work 64. */
const MAX_RATIO = 24
/** Lower bound for the time of the smaller work, because shorter times are mostly noise */
const MIN_MICROSECONDS = 2_000
const TRIES = 3

/**
 * Returns whether work takes linear time, by comparing the times for two sizes. One of up to `TRIES` comparisons must
 * succeed. Measures processor time, because other processes may share the machine.
 * @param size size of the larger work
 */
export function isLinear(work: (size: number) => unknown, size: number): boolean {
  for (let tries = 0; tries < TRIES; tries++) {
    // Measures the larger size first, because the first run also compiles the code.
    const large = timeOf(() => work(size))
    const small = timeOf(() => work(Math.ceil(size / GROWTH)))
    if (large < MAX_RATIO * Math.max(small, MIN_MICROSECONDS)) return true
  }
  return false
}

/** Returns the processor time of `work` in microseconds. */
function timeOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
