import { api } from '../api/client.js'
import { REVIEW_KEY } from '../api/queries.js'
import { queryClient } from '../api/query-client.js'
import { refetchAfterChange } from '../api/refetch.js'
import { serviceTime } from '../platform/clock.js'
import { rememberedUser } from '../platform/remembered-user.js'
import { readStored, USER_KEY_PREFIX, writeStored } from '../platform/storage.js'
import { createDurableStore } from '../storage/entries.js'
import { deleteCachedContent } from '../storage/kept.js'
import { withSendLock } from '../storage/send-lock.js'
import { ANSWERS_WAIT } from './answers-wait.js'
import { createMemoryStore } from './memory.js'
import { syncState } from './state.svelte.js'
import { type SyncEvent, type SyncPorts, SyncQueue } from './sync-queue.js'
import { sendEntry, transport } from './transport.js'

const STAMP_KEY = `${USER_KEY_PREFIX}stamp`

let queue: SyncQueue | undefined

/** Returns the outbox of this page, which the first call creates. `SyncQueue.open` starts sending ratings. */
export function startSyncQueue(): SyncQueue {
  queue ??= start()
  return queue
}

function start(): SyncQueue {
  const started = new SyncQueue({
    durable: createDurableStore(),
    memory: createMemoryStore(),
    state: syncState,
    channel: openChannel(),
    transport,
    withSendLock,
    rememberedUser: () => rememberedUser()?.id,
    fetchUser: () => sendEntry('GET', '/api/auth/me'),
    // After a 401, the client shows the login dialog and repeats the request.
    askForLogin: () => api.get('/api/auth/me'),
    // Uses the wall clock instead of a monotonic clock, because receipts are compared with the time of a cached queue
    // even after a reload.
    now: Date.now,
    elapsed: () => performance.now(),
    serviceTime,
    lastStamp: () => readStored(STAMP_KEY),
    keepStamp: (at) => writeStored(STAMP_KEY, at),
    random: Math.random,
    later(work, ms) {
      const timer = setTimeout(work, ms)
      return () => clearTimeout(timer)
    },
    deleteContentOfOthers: (user) => void deleteCachedContent(user),
    onAllSent: () => void refetchAfterChange(queryClient, REVIEW_KEY),
  })
  addEventListener('online', () => started.sendNow())
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') started.sendNow()
  })
  addEventListener('beforeunload', (event) => {
    if (syncState.volatile > 0) event.preventDefault()
  })
  // Sends test answers that an earlier visit could not send. The module is loaded on demand, because most users have no
  // such answers.
  if (readStored(ANSWERS_WAIT) !== undefined)
    import('./answers/answer-sync.js').then(
      ({ startAnswerQueue }) => startAnswerQueue(),
      () => undefined,
    )
  return started
}

function openChannel(): SyncPorts['channel'] {
  const channel = new BroadcastChannel(`training ${new URL(document.baseURI).pathname}`)
  return {
    send: (event) => channel.postMessage(event),
    listen: (listener) => channel.addEventListener('message', ({ data }: MessageEvent<SyncEvent>) => listener(data)),
  }
}
