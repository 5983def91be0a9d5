/**
 * Follows a value with a delay: adopts a new value once it has not changed for `restMs` milliseconds, which avoids a
 * request per letter.
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
