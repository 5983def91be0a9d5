/** A value that follows another one once it has rested, so that not every letter is asked for. */
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
