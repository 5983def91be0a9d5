import t from 'tap'
import { createMemoryStore } from '../../../web/src/outbox/memory.js'
import { Post, type PostState } from '../../../web/src/outbox/post.js'
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

function openPost() {
  const durable = createSlowStore()
  const state: PostState = { waiting: 0, volatile: 0, refused: [], obstacle: undefined }
  const sent: number[] = []
  let announced = 0
  let answer: (outcome: Outcome) => void = () => undefined
  const post = new Post({
    durable,
    memory: createMemoryStore(),
    state,
    channel: { send: () => undefined, listen: () => undefined },
    transport: {
      rate: ({ card_id }) => {
        sent.push(card_id)
        return new Promise((resolve) => {
          answer = resolve
        })
      },
      rateMany: () => Promise.reject(new Error('one rating only')),
      undo: () => Promise.reject(new Error('nothing is undone')),
    },
    withSendLock: (work) => work({ isHeld: () => true }),
    rememberedUser: () => USER,
    fetchUser: async () => USER,
    askForLogin: async () => undefined,
    now: () => 0,
    elapsed: () => 0,
    serviceTime: () => new Date(0),
    random: () => 0,
    later: () => () => undefined,
    forgetOthers: () => undefined,
    onAllSent: () => {
      announced += 1
    },
  })
  const accept = async () => {
    answer({ kind: 'answered', status: 200, isOwn: true, body: { review_id: 1, card_id: 7, applied: true } })
    await settleMicrotasks()
  }
  return { post, durable, state, sent, accept, announced: () => announced }
}

t.test('a read that started before a rating does not hide the rating', async (t) => {
  const { post, durable, state } = openPost()
  post.open(USER)
  await settleMicrotasks()
  await post.rate('first', 7, 'easy')
  t.equal(state.waiting, 1)
  await durable.release()
  t.equal(state.waiting, 1)
})

t.test('announces once that everything is sent, however late the store responds', async (t) => {
  const { post, durable, state, sent, accept, announced } = openPost()
  post.open(USER)
  await settleMicrotasks()
  await post.rate('first', 7, 'easy')
  durable.isSlow = false
  for (let rounds = 0; sent.length === 0 && rounds < 100; rounds++) await durable.release()
  t.strictSame(sent, [7])
  t.equal(announced(), 0)
  await accept()
  for (let rounds = 0; rounds < 10; rounds++) await durable.release()
  t.equal(state.waiting, 0)
  t.equal(announced(), 1)
})
