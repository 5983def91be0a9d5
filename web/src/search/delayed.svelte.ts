/**
 * Returns the value with a delay: a new value is adopted once it has been unchanged for `restMs` milliseconds. The
 * delay avoids a request for each typed letter.
 */
export function delayed<T>(read: () => T, restMs: number): { readonly current: T } {
  let current = $state(read())
  $effect(() => {
    const value = read()
    const timer = setTimeout(() => (current = value), restMs)
    return () => clearTimeout(timer)
  })
  return {
    get current() {
      return current
    },
  }
}
