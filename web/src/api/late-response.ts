/**
 * Milliseconds after which a response is late and a cached copy is shown. The limit is low enough to show the copy
 * within one second, including rendering. No other timer may have this duration: browser tests find the timer by it.
 */
export const LATE_AFTER_MS = 490

let isSlow = false
let responses = 0

/** Records that a response has arrived, so that later requests wait the full time again. */
export function recordResponse(): void {
  responses += 1
  isSlow = false
}

/** Resolves after `LATE_AFTER_MS`, or at once if an earlier request was late and no response has arrived since. */
async function waitUntilLate(): Promise<void> {
  if (isSlow) return
  const before = responses
  await new Promise((resolve) => setTimeout(resolve, LATE_AFTER_MS))
  if (responses === before) isSlow = true
}

/** Returns whether the promise is still pending when `waitUntilLate` resolves. */
export function isLate(work: Promise<unknown>): Promise<boolean> {
  const settled = work.then(
    () => false,
    () => false,
  )
  return Promise.race([settled, waitUntilLate().then(() => true)])
}
