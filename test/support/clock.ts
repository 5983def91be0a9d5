import type { Test } from 'tap'

/**
 * Stops the monotonic clock, `performance.now`, until the test ends. Limits that count requests per window then do not
 * depend on how long the requests take.
 */
export function stopMonotonicClock(t: Pick<Test, 'teardown'>): { pass(ms: number): void } {
  // A whole number, because sums and differences of fractions are rounded.
  let stopped = Math.ceil(performance.now())
  Object.defineProperty(performance, 'now', { value: () => stopped, configurable: true })
  t.teardown(() => {
    Reflect.deleteProperty(performance, 'now')
  })
  return {
    pass: (ms) => {
      stopped += ms
    },
  }
}

/**
 * Returns a clock that stands at the current time, for tests that count statements or compare whole responses: the first
 * request of a user's day writes one statement more, and responses contain the day.
 */
export function standingClock(): () => Date {
  const now = new Date()
  return () => now
}
