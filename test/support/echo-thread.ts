import { threadId } from 'node:worker_threads'
import { handleTasks } from '../../src/services/handle-tasks.js'

export type EchoTask = { text: string } | { code: string } | 'wait' | 'fill'

handleTasks(async (task: EchoTask) => {
  if (task === 'wait') return new Promise<never>(() => {})
  if (task === 'fill') for (const kept: string[][] = []; ; ) kept.push(Array.from({ length: 100_000 }, () => 'x'))
  if ('code' in task) throw Object.assign(new Error('failed'), { code: task.code })
  return { threadId, text: task.text, env: Object.keys(process.env) }
})
