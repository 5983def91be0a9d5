import type { OnProgress } from './write-plan.js'

const LINE_EVERY_MS = 2_000

/** Tells by a line now and then how far an import is. */
export function reportProgress(title: string, print: (line: string) => void): OnProgress {
  let last = performance.now()
  return (done, total) => {
    if (performance.now() - last < LINE_EVERY_MS) return
    last = performance.now()
    print(`${title}: ${done} von ${total} Karten`)
  }
}
