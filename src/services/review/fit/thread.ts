import { parentPort } from 'node:worker_threads'
import { costsOf } from '../../../domain/review/costs.js'
import { effectiveHistories, parseEntry } from '../../../domain/review/history.js'
import { loadTrainer } from './binding.js'
import { type FitTask, fitWeights, replay, type TaskResult } from './tasks.js'

/** Messages to the thread: `begin`, the log in chunks of complete lines, then the task. `stop` ends a running fit. */
export type ThreadMessage = { begin: true } | { lines: string } | { task: FitTask } | { stop: true }

const port = parentPort
if (port === null) throw new Error('this is a worker thread')

let pieces: string[] = []
let isStopped = false

port.on('message', (message: ThreadMessage) => {
  if ('begin' in message) {
    pieces = []
    isStopped = false
  } else if ('lines' in message) pieces.push(message.lines)
  else if ('task' in message) void work(message.task).then((result) => port.postMessage(result))
  else isStopped = true
})

function* readEntries() {
  for (const piece of pieces) for (const line of piece.split('\n')) yield parseEntry(line)
}

async function work(task: FitTask): Promise<TaskResult> {
  try {
    if (task.kind === 'costs') return { kind: 'costs', costs: costsOf(task.weights) }
    const histories = effectiveHistories(readEntries())
    pieces = []
    if (task.kind === 'replay') return { kind: 'states', states: replay(histories, task.weights) }
    return await fitWeights(histories, task.weights, task.today, await loadTrainer(), () => isStopped)
  } catch (error) {
    return isStopped ? { kind: 'stopped' } : { kind: 'failed', message: String(error) }
  }
}
