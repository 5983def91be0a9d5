/** Milliseconds for which input is ignored after a visible change, because it may be meant for the previous content */
export const GUARD_MS = 200

/**
 * Calls `onPassed` when `GUARD_MS` have passed since `changedAt`, a time of `performance.now()`. Returns a function that
 * cancels the call.
 */
export function afterGuard(changedAt: number, onPassed: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const check = () => {
    const left = changedAt + GUARD_MS - performance.now()
    // A timer may fire a fraction of a millisecond early.
    if (left > 0) timer = setTimeout(check, left)
    else onPassed()
  }
  check()
  return () => clearTimeout(timer)
}
