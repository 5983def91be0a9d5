import t from 'tap'
import { createMemoryStore } from '../../../web/src/outbox/memory.js'
import { SyncQueue, type SyncState } from '../../../web/src/outbox/sync-queue.js'
import type { Outcome } from '../../../web/src/outbox/verdict.js'
import type { Store } from '../../../web/src/storage/store.js'
import { settleMicrotasks } from './world.js'

const USER = 1

/** Creates a memory store; while `isSlow` is set, its reads return only after `release()`. */
function createSlowStore(): Store & { release(): Promise<void>; isSlow: boolean } {
  const store = createMemoryStore()
  let held: (() => void)[] = []
  return {
    isSlow: true,
    change: store.change,
    async read(work) {
      const result = await store.read(work)
      if (this.isSlow) await new Promise<void>((resolve) => held.push(resolve))
      return result
    },
    async release() {
      const [...some] = held
      held = []
      for (const resume of some) resume()
      await settleMicrotasks()
    },
  }
}

function openQueue() {
  const durable = createSlowStore()
  const state: SyncState = { waiting: 0, volatile: 0, refused: [], obstacle: undefined }
  const sent: number[] = []
  const instants: string[] = []
  const service = { sessionUser: USER, elapsedMs: 0, isDown: false, time: '1970-01-01T00:00:00.000Z' }
  let stamp: number | undefined
  let announced = 0
  let respond: (outcome: Outcome) => void = () => undefined
  const queue = new SyncQueue({
    durable,
    memory: createMemoryStore(),
    state,
    channel: { send: () => undefined, listen: () => undefined },
    transport: {
      rate: ({ card_id, reviewed_at }) => {
        sent.push(card_id)
        instants.push(reviewed_at)
        return new Promise((resolve) => {
          respond = resolve
        })
      },
      rateMany: () => Promise.reject(new Error('one rating only')),
      undo: () => Promise.reject(new Error('nothing is undone')),
    },
    withSendLock: (work) => work({ isHeld: () => true }),
    rememberedUser: () => USER,
    fetchUser: async () =>
      service.isDown
        ? { kind: 'lost' }
        : { kind: 'received', status: 200, isOwn: true, body: { user: { id: service.sessionUser } } },
    askForLogin: async () => undefined,
    now: () => 0,
    elapsed: () => service.elapsedMs,
    serviceTime: () => new Date(service.time),
    lastStamp: () => stamp,
    keepStamp: (at) => {
      stamp = at
    },
    random: () => 0,
    later: () => () => undefined,
    deleteContentOfOthers: () => undefined,
    onAllSent: () => {
      announced += 1
    },
  })
  const accept = async () => {
    respond({ kind: 'received', status: 200, isOwn: true, body: { review_id: 1, card_id: 7, applied: true } })
    await settleMicrotasks()
  }
  return { queue, durable, state, sent, instants, service, accept, announced: () => announced }
}

t.test('a read that started before a rating does not hide the rating', async (t) => {
  const { queue, durable, state } = openQueue()
  queue.open(USER)
  await settleMicrotasks()
  await queue.rate('first', 7, 'easy')
  t.equal(state.waiting, 1)
  await durable.release()
  t.equal(state.waiting, 1)
})

t.test('announces once that everything is sent, however late the store responds', async (t) => {
  const { queue, durable, state, sent, accept, announced } = openQueue()
  queue.open(USER)
  await settleMicrotasks()
  await queue.rate('first', 7, 'easy')
  durable.isSlow = false
  for (let rounds = 0; sent.length === 0 && rounds < 100; rounds++) await durable.release()
  t.strictSame(sent, [7])
  t.equal(announced(), 0)
  await accept()
  for (let rounds = 0; rounds < 10; rounds++) await durable.release()
  t.equal(state.waiting, 0)
  t.equal(announced(), 1)
})

t.test("sends nothing while another user's session is in the browser", async (t) => {
  const { queue, durable, state, sent, service } = openQueue()
  durable.isSlow = false
  service.sessionUser = 2
  queue.open(USER)
  await queue.rate('first', 7, 'easy')
  await settleMicrotasks()
  t.strictSame(sent, [], 'the session belonged to another user when the page was opened')
  service.isDown = true
  queue.sendNow()
  await settleMicrotasks()
  t.strictSame([sent, state.obstacle], [[], 'network'], 'the user is unknown')
  service.isDown = false
  service.sessionUser = USER
  queue.sendNow()
  await settleMicrotasks()
  t.strictSame(sent, [7])
})

t.test('verifies the user again after a minute, also if a study session was opened since', async (t) => {
  const { queue, durable, sent, service, accept } = openQueue()
  durable.isSlow = false
  queue.open(USER)
  await queue.rate('first', 7, 'easy')
  await settleMicrotasks()
  await accept()
  service.sessionUser = 2
  service.elapsedMs = 60_000
  queue.open(USER)
  await queue.rate('second', 8, 'easy')
  await settleMicrotasks()
  t.strictSame(sent, [7])
  service.sessionUser = USER
  queue.sendNow()
  await settleMicrotasks()
  t.strictSame(sent, [7, 8])
})

t.test('keeps the order of ratings when the clock is set back, unless by a large step', async (t) => {
  const { queue, durable, instants, service, accept } = openQueue()
  durable.isSlow = false
  queue.open(USER)
  for (const time of [
    '2026-01-02T12:00:00.000Z',
    '2026-01-02T11:50:00.000Z',
    '2026-01-02T11:50:20.000Z',
    '2026-01-02T12:00:10.000Z',
    '2026-01-02T11:00:00.000Z',
    '2026-01-02T11:00:01.000Z',
  ]) {
    service.time = time
    await queue.rate(time, 7, 'again')
    await settleMicrotasks()
    await accept()
  }
  t.strictSame(instants, [
    '2026-01-02T12:00:00.000Z',
    '2026-01-02T12:00:00.001Z',
    '2026-01-02T12:00:00.002Z',
    '2026-01-02T12:00:10.000Z',
    '2026-01-02T11:00:00.000Z',
    '2026-01-02T11:00:01.000Z',
  ])
})
