/**
 * Milliseconds after which a response counts as late and a cached copy is shown. The limit is low enough to show the
 * copy within one second, including rendering.
 */
const PATIENCE_MS = 500

let isSlow = false
/** Number of responses to all requests since the app was loaded */
let answers = 0

/** Records that a response has arrived, so that later requests wait the full time again. */
export function noteAnswer(): void {
  answers += 1
  isSlow = false
}

/** Resolves after `PATIENCE_MS`, or at once if a request was late and no response has arrived since. */
async function waitUntilLate(): Promise<void> {
  if (isSlow) return
  const before = answers
  await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  if (answers === before) isSlow = true
}

/** Returns whether the promise is still pending when `waitUntilLate` resolves. */
export function isLate(work: Promise<unknown>): Promise<boolean> {
  const settled = work.then(
    () => false,
    () => false,
  )
  return Promise.race([settled, waitUntilLate().then(() => true)])
}
