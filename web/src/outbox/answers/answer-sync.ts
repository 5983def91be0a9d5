import { rememberedUser } from '../../platform/remembered-user.js'
import { writeStored } from '../../platform/storage.js'
import type { AnswerStore, StoredAnswer } from '../../storage/answer.js'
import { answers } from '../../storage/answers.js'
import { attemptName, updateCached } from '../../storage/kept.js'
import { withSendLock } from '../../storage/send-lock.js'
import { ANSWERS_WAIT } from '../answers-wait.js'
import { sendEntry } from '../transport.js'
import { AnswerQueue, type AnswerQueueEvent, type AnswerQueuePorts } from './answer-queue.js'

let queue: AnswerQueue | undefined

/**
 * Returns the queue of unsent test answers. The first call starts sending.
 * @param user user of the page, whose answers are sent if local storage is blocked and no user is remembered
 */
export function startAnswerQueue(user?: number): AnswerQueue {
  queue ??= start(user)
  return queue
}

function start(user: number | undefined): AnswerQueue {
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
      sendEntry('PUT', `/api/tests/attempts/${attempt}/answers/${slot}`, { seq, answer }),
    addToCopy,
    withSendLock,
    currentUser: () => rememberedUser()?.id ?? user,
    channel: openChannel(),
    now: Date.now,
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

function addToCopy({ user, attempt, slot, seq, answer }: StoredAnswer): Promise<void> {
  return updateCached<{ questions: Pick<StoredAnswer, 'slot' | 'seq' | 'answer'>[] }>(
    user,
    attemptName(attempt),
    (copy) => ({
      ...copy,
      questions: copy.questions.map((one) => (one.slot === slot && one.seq < seq ? { ...one, seq, answer } : one)),
    }),
  )
}

function openChannel(): AnswerQueuePorts['channel'] {
  const channel = new BroadcastChannel(`training answers ${new URL(document.baseURI).pathname}`)
  return {
    send: (event) => channel.postMessage(event),
    listen: (listener) =>
      channel.addEventListener('message', ({ data }: MessageEvent<AnswerQueueEvent>) => listener(data)),
  }
}
