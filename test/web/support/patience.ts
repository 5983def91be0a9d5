/** Timeout of every step, in milliseconds. Steps wait for a state, so a slow or busy machine never needs another one. */
export const PATIENCE_MS = 180_000

const POLL_MS = 25

/**
 * Waits until the condition is true.
 * @param describe names the state in the error
 * @throws Error if it does not become true within `PATIENCE_MS`
 */
export async function until(isTrue: () => Promise<boolean>, describe: string | (() => string)): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`not in time: ${typeof describe === 'string' ? describe : describe()}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
