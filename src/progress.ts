import { progress } from '@clack/prompts'
import type { OnProgress } from './content/import-content.js'

const LINE_EVERY_MS = 2_000

/** Shows how far a long work is: a bar in a terminal, now and then a line otherwise. Call `stop` at the end. */
export function showProgress(
  title: string,
  print: (line: string) => void,
  isTerminal = process.stdout.isTTY,
): { onProgress: OnProgress; stop: () => void } {
  return isTerminal ? showBar(title) : showLines(title, print)
}

function showBar(title: string) {
  const bar = progress({ max: 100, style: 'block' })
  let shown = 0
  bar.start(title)
  return {
    onProgress: (done: number, total: number) => {
      const percent = Math.floor((100 * done) / total)
      bar.advance(percent - shown, `${title}: ${done} von ${total} Karten`)
      shown = percent
    },
    stop: () => bar.stop(title),
  }
}

function showLines(title: string, print: (line: string) => void) {
  let last = performance.now()
  return {
    onProgress: (done: number, total: number) => {
      if (performance.now() - last < LINE_EVERY_MS) return
      last = performance.now()
      print(`${title}: ${done} von ${total} Karten`)
    },
    stop: () => {},
  }
}
