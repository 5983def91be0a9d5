import { urlOf } from '../../api/client.js'
import { noteDate } from '../../platform/clock.js'
import { rememberedUser } from '../../platform/remembered-user.js'
import { writeStored } from '../../platform/storage.js'
import type { AnswerStore } from '../../storage/answer.js'
import { answers } from '../../storage/answers.js'
import { withSendLock } from '../../storage/send-lock.js'
import { ANSWERS_WAIT } from '../answers-wait.js'
import { createSend } from '../transport.js'
import { AnswerQueue, type AnswerQueueEvent, type AnswerQueuePorts } from './answer-queue.js'

let queue: AnswerQueue | undefined

/** Returns the queue of unsent answers of tests. The first call creates the queue and starts sending. */
export function startAnswerQueue(): AnswerQueue {
  queue ??= start()
  return queue
}

function start(): AnswerQueue {
  const send = createSend(urlOf, noteDate)
  const store: AnswerStore = {
    ...answers,
    put(answer) {
      writeStored(ANSWERS_WAIT, true)
      return answers.put(answer)
    },
  }
  const started = new AnswerQueue({
    store,
    send: ({ attempt, slot, seq, answer }) =>
      send('PUT', `/api/tests/attempts/${attempt}/answers/${slot}`, { seq, answer }),
    withSendLock,
    currentUser: () => rememberedUser()?.id,
    channel: openChannel(),
    random: Math.random,
    later(work, ms) {
      const timer = setTimeout(work, ms)
      return () => clearTimeout(timer)
    },
  })
  const wake = () => void started.wake()
  addEventListener('online', wake)
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') wake()
  })
  addEventListener('beforeunload', (event) => {
    if (started.volatile > 0) event.preventDefault()
  })
  wake()
  return started
}

function openChannel(): AnswerQueuePorts['channel'] {
  const channel = new BroadcastChannel(`training answers ${new URL(document.baseURI).pathname}`)
  return {
    send: (event) => channel.postMessage(event),
    listen: (listener) =>
      channel.addEventListener('message', ({ data }: MessageEvent<AnswerQueueEvent>) => listener(data)),
  }
}
