import t from 'tap'
import { Threads } from '../../src/services/threads.js'
import type { EchoTask } from '../support/echo-thread.js'

interface Echo {
  threadId: number
  text: string
  env: string[]
}

const MODULE = new URL('../support/echo-thread.js', import.meta.url)
const threads = new Threads<EchoTask, Echo>({ module: MODULE, heapMb: 32 })

t.test('a thread is kept for the next task and has no environment', async (t) => {
  const first = await threads.run({ text: 'a' })
  t.match(first, { text: 'a', env: { length: 0 } })
  t.equal((await threads.run({ text: 'b' })).threadId, first.threadId)
  const both = await Promise.all([threads.run({ text: 'c' }), threads.run({ text: 'd' })])
  t.not(both[0].threadId, both[1].threadId, 'tasks at the same time run in threads of their own')
})

t.test('an error keeps its code and ends the thread', async (t) => {
  const { threadId } = await threads.run({ text: 'a' })
  const { threadId: other } = (await Promise.all([threads.run({ text: 'b' }), threads.run({ text: 'c' })]))[1]
  await t.rejects(threads.run({ code: 'ENOSPC' }), { message: 'failed', code: 'ENOSPC' })
  await t.rejects(threads.run({ code: 'ENOSPC' }), { code: 'ENOSPC' })
  t.notOk([threadId, other].includes((await threads.run({ text: 'd' })).threadId))
})

t.test('a task that is aborted, takes too long or too much memory ends its thread', async (t) => {
  const abort = new AbortController()
  const aborted = threads.run('wait', { signal: abort.signal })
  abort.abort(new Error('stop'))
  await t.rejects(aborted, { message: 'stop' })
  await t.rejects(threads.run({ text: 'a' }, { signal: abort.signal }), { message: 'stop' }, 'an earlier abort')
  await t.rejects(threads.run('wait', { limit: { ms: 1, error: new Error('late') } }), { message: 'late' })
  await t.rejects(threads.run('fill', { noMemory: new Error('full') }), { message: 'full' })
  await t.rejects(threads.run('fill'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })
  t.match(await threads.run({ text: 'b' }), { text: 'b' }, 'the next task gets another thread')
})
