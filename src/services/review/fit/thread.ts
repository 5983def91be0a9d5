import { parentPort } from 'node:worker_threads'
import { costsOf } from '../../../domain/review/costs.js'
import { effectiveHistories, parseEntry } from '../../../domain/review/history.js'
import { FitProcess } from './fit-process.js'
import { type FitTask, fitWeights, replay, type TaskResult } from './tasks.js'

/** Messages to the thread: `begin`, the log in chunks of complete lines, then the task. `stop` ends a running fit. */
export type ThreadMessage = { begin: true } | { lines: string } | { task: FitTask } | { stop: true }

const port = parentPort
if (port === null) throw new Error('this is a worker thread')

let pieces: string[] = []
let stop = new AbortController()
const fitting = new FitProcess()

port.on('message', (message: ThreadMessage) => {
  if ('begin' in message) {
    pieces = []
    stop = new AbortController()
  } else if ('lines' in message) pieces.push(message.lines)
  else if ('task' in message) void work(message.task).then((result) => port.postMessage(result))
  else stop.abort()
})

function* readEntries() {
  for (const piece of pieces) for (const line of piece.split('\n')) yield parseEntry(line)
}

async function work(task: FitTask): Promise<TaskResult> {
  const { signal } = stop
  try {
    if (task.kind === 'costs') return { kind: 'costs', costs: costsOf(task.weights) }
    const histories = effectiveHistories(readEntries())
    pieces = []
    if (task.kind === 'replay') return { kind: 'states', states: replay(histories, task.weights) }
    return await fitWeights(histories, task.weights, task.today, (csv) => fitting.fit(csv, signal))
  } catch (error) {
    return signal.aborted ? { kind: 'stopped' } : { kind: 'failed', message: String(error) }
  }
}
