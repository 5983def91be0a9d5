/** Milliseconds after which a cached copy is shown; including rendering, this takes less than one second. */
const PATIENCE_MS = 500

let isSlow = false
/** Number of responses so far */
let answers = 0

/** Records that a response has arrived, so that later requests wait the full time again. */
export function noteAnswer(): void {
  answers += 1
  isSlow = false
}

/** Resolves after `PATIENCE_MS`; at once if no response has arrived since a request was last late. */
async function waitUntilLate(): Promise<void> {
  if (isSlow) return
  const before = answers
  await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  if (answers === before) isSlow = true
}

/** Returns whether the promise is still pending when it counts as late. */
export function isLate(work: Promise<unknown>): Promise<boolean> {
  const settled = work.then(
    () => false,
    () => false,
  )
  return Promise.race([settled, waitUntilLate().then(() => true)])
}
