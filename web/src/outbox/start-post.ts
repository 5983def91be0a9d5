import { api, urlOf } from '../api/client.js'
import { REVIEW_KEY } from '../api/queries.js'
import { queryClient } from '../api/query-client.js'
import { noteDate, serviceTime } from '../platform/clock.js'
import { isOwn } from '../platform/proof.js'
import { rememberedUser } from '../platform/remembered-user.js'
import { readStored } from '../platform/storage.js'
import { createDurableStore } from '../storage/entries.js'
import { forgetKept } from '../storage/kept.js'
import { withSendLock } from '../storage/send-lock.js'
import { ANSWERS_WAIT } from './answers-wait.js'
import { createMemoryStore } from './memory.js'
import { Post, type PostEvent, type PostPorts } from './post.js'
import { postState } from './state.svelte.js'
import { createTransport } from './transport.js'

/** Timeout in milliseconds of the request for the user; sending waits for this request */
const PATIENCE_MS = 10_000

let post: Post | undefined

/** Returns the outbox of this page. The first call starts it. */
export function startPost(): Post {
  post ??= start()
  return post
}

function start(): Post {
  const started = new Post({
    durable: createDurableStore(),
    memory: createMemoryStore(),
    state: postState,
    channel: openChannel(),
    transport: createTransport(urlOf, noteDate),
    withSendLock,
    rememberedUser: () => rememberedUser()?.id,
    fetchUser,
    // After a 401, the client shows the login dialog and repeats the request.
    askForLogin: () => api.get('/api/auth/me'),
    // The wall clock is used, because receipts are compared with the time of a cached queue even after a reload.
    now: Date.now,
    elapsed: () => performance.now(),
    serviceTime,
    random: Math.random,
    later(work, ms) {
      const timer = setTimeout(work, ms)
      return () => clearTimeout(timer)
    },
    forgetOthers: (user) => void forgetKept(user),
    onAllSent: () => void queryClient.invalidateQueries({ queryKey: REVIEW_KEY }),
  })
  addEventListener('online', () => started.sendNow())
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') started.sendNow()
  })
  addEventListener('beforeunload', (event) => {
    if (postState.volatile > 0) event.preventDefault()
  })
  // Sends answers of a test that the user left while the network was down. Loaded on demand, because most users have
  // none.
  if (readStored(ANSWERS_WAIT) !== undefined)
    import('./answers/answer-post.js').then(
      ({ startAnswerQueue }) => startAnswerQueue(),
      () => undefined,
    )
  return started
}

function openChannel(): PostPorts['channel'] {
  const channel = new BroadcastChannel(`training ${new URL(document.baseURI).pathname}`)
  return {
    send: (event) => channel.postMessage(event),
    listen: (listener) => channel.addEventListener('message', ({ data }: MessageEvent<PostEvent>) => listener(data)),
  }
}

async function fetchUser(): Promise<number | undefined> {
  const init = { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(PATIENCE_MS) }
  const answer = await fetch(urlOf('/api/auth/me'), init)
  if (!answer.ok || !isOwn(answer)) return undefined
  return ((await answer.json()) as { user: { id: number } }).user.id
}
