import { progress } from '@clack/prompts'
import { type OnProgress, reportProgress } from '../services/content/write.js'

/** Shows the progress of a long task: a bar in a terminal, otherwise occasional lines. Call `stop` at the end. */
export function showProgress(
  title: string,
  print: (line: string) => void,
  isTerminal = process.stdout.isTTY,
): { onProgress: OnProgress; stop: () => void } {
  return isTerminal ? showBar(title) : { onProgress: reportProgress(title, print), stop: () => {} }
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
