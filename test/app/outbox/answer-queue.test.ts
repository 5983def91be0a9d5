import t from 'tap'
import {
  AnswerQueue,
  type AnswerQueueEvent,
  type AnswerQueuePorts,
} from '../../../web/src/outbox/answers/answer-queue.js'
import type { Outcome } from '../../../web/src/outbox/verdict.js'
import type { AnswerStore, StoredAnswer } from '../../../web/src/storage/answer.js'
import { own } from './outcomes.js'

const USER = 1
const ATTEMPT = 7
const LOST: Outcome = { kind: 'lost' }

const saved = ({ slot, seq }: StoredAnswer): Outcome => own(200, { slot, seq, saved_at: '…', seconds_left: 60 })

const answerTo = (slot: number, text: string, seq = 1): StoredAnswer => ({
  user: USER,
  attempt: ATTEMPT,
  slot,
  seq,
  answer: { text },
  at: slot * 10 + seq,
})

class Store implements AnswerStore {
  readonly rows = new Map<string, StoredAnswer>()
  isForbidden = false

  async put(answer: StoredAnswer): Promise<void> {
    this.#check()
    this.rows.set(this.#key(answer), answer)
  }

  async find(user: number, attempt: number, slot: number): Promise<StoredAnswer | undefined> {
    return (await this.list(user)).find((one) => one.attempt === attempt && one.slot === slot)
  }

  async list(user: number): Promise<StoredAnswer[]> {
    this.#check()
    return [...this.rows.values()].filter((one) => one.user === user).sort((one, other) => one.at - other.at)
  }

  async remove(answer: StoredAnswer): Promise<void> {
    this.#check()
    if (this.rows.get(this.#key(answer))?.seq === answer.seq) this.rows.delete(this.#key(answer))
  }

  async refuse(answer: StoredAnswer, refusal: StoredAnswer['refusal']): Promise<void> {
    this.#check()
    const stored = this.rows.get(this.#key(answer))
    if (stored?.seq === answer.seq && refusal) this.rows.set(this.#key(answer), { ...stored, refusal })
  }

  #key({ user, attempt, slot }: StoredAnswer): string {
    return `${user} ${attempt} ${slot}`
  }

  #check(): void {
    if (this.isForbidden) throw new Error('storage is forbidden')
  }
}

/** Fake browser whose tabs share the storage, the channel and the lock; `reply` returns the service's response */
class Browser {
  readonly store = new Store()
  readonly sent: string[] = []
  /** Answers added to the copy of their attempt, with the number of stored answers at that time */
  readonly copied: [answer: string, stored: number][] = []
  reply: (answer: StoredAnswer) => Outcome | Promise<Outcome> = saved
  user: number | undefined = USER
  isHeld = true
  /** Scheduled retries: delay in milliseconds and callback */
  readonly planned: { ms: number; work: () => void }[] = []
  readonly #tabs: ((event: AnswerQueueEvent) => void)[] = []
  #turn: Promise<unknown> = Promise.resolve()

  openTab(): { queue: AnswerQueue; heard: AnswerQueueEvent[] } {
    let hear: (event: AnswerQueueEvent) => void = () => undefined
    const ports: AnswerQueuePorts = {
      store: this.store,
      send: async (answer) => {
        this.sent.push(`${answer.slot}/${answer.seq}`)
        return this.reply(answer)
      },
      addToCopy: async ({ slot, seq }) => {
        this.copied.push([`${slot}/${seq}`, this.store.rows.size])
      },
      withSendLock: (work) => {
        const done = this.#turn.then(() => work({ isHeld: () => this.isHeld }))
        this.#turn = done.catch(() => undefined)
        return done
      },
      currentUser: () => this.user,
      channel: {
        send: (event) => {
          for (const tell of this.#tabs) if (tell !== hear) tell(event)
        },
        listen: (listener) => {
          hear = listener
          this.#tabs.push(listener)
        },
      },
      now: () => 0,
      random: () => 0.5,
      later: (work, ms) => {
        const plan = { ms, work }
        this.planned.push(plan)
        return () => {
          if (this.planned.includes(plan)) this.planned.splice(this.planned.indexOf(plan), 1)
        }
      },
    }
    const queue = new AnswerQueue(ports)
    const heard: AnswerQueueEvent[] = []
    queue.listen((event) => heard.push(event))
    return { queue, heard }
  }
}

t.test('sends answers in the order in which they were given, and removes confirmed ones', async (t) => {
  const browser = new Browser()
  browser.reply = () => LOST
  const { queue, heard } = browser.openTab()
  for (const slot of [2, 0, 1]) await queue.put({ ...answerTo(slot, 'a'), at: browser.store.rows.size })
  await queue.wake()
  browser.reply = saved
  browser.sent.length = 0
  await queue.wake()
  t.strictSame(browser.sent, ['2/1', '0/1', '1/1'])
  const copied = [
    ['2/1', 3],
    ['0/1', 2],
    ['1/1', 1],
  ]
  t.strictSame(browser.copied, copied, 'an answer is in the copy before it leaves the queue')
  t.equal(browser.store.rows.size, 0)
  t.match(
    heard.map(({ result }) => result),
    Array.from({ length: 3 }, () => ({ kind: 'saved', secondsLeft: 60 })),
  )
})

t.test('keeps answers without a network, retries with growing delays, and reports the obstacle', async (t) => {
  const browser = new Browser()
  browser.reply = () => LOST
  const { queue } = browser.openTab()
  const obstacles: unknown[] = []
  queue.watch((obstacle) => obstacles.push(obstacle))
  await queue.put(answerTo(0, 'a'))
  await queue.wake()
  const delays: number[] = []
  for (let tries = 3; tries > 0; tries--) {
    t.equal(browser.planned.length, 1, 'one retry is planned')
    delays.push(browser.planned[0]?.ms ?? 0)
    await queue.wake()
  }
  t.strictSame(
    delays,
    [...delays].sort((one, other) => one - other),
  )
  t.ok((delays[2] ?? 0) > (delays[0] ?? 0))
  t.equal(browser.store.rows.size, 1)
  browser.reply = saved
  browser.planned[0]?.work()
  await queue.wake()
  t.strictSame(obstacles, ['network', undefined], 'each change is reported once')
  t.equal(browser.store.rows.size, 0)
  t.equal(browser.planned.length, 0)
})

t.test('keeps the answers and tries again if the page loses the lock', async (t) => {
  const browser = new Browser()
  browser.isHeld = false
  const { queue } = browser.openTab()
  await queue.put(answerTo(0, 'a'))
  await queue.wake()
  t.strictSame([browser.sent, browser.planned.length], [[], 1])
  browser.isHeld = true
  browser.planned[0]?.work()
  await queue.wake()
  t.strictSame(browser.sent, ['0/1'])
  t.equal(browser.store.rows.size, 0)
})

t.test('waits as long as a busy service requests, and when a proxy responds instead of the service', async (t) => {
  const browser = new Browser()
  const { queue } = browser.openTab()
  browser.reply = () => ({ kind: 'received', status: 429, isOwn: true, body: {}, retryAfter: 120_000 })
  await queue.put(answerTo(0, 'a'))
  await queue.wake()
  t.equal(queue.obstacle, 'busy')
  t.equal(browser.planned[0]?.ms, 120_000)
  browser.reply = () => ({ kind: 'received', status: 409, isOwn: false, body: {} })
  await queue.wake()
  t.equal(queue.obstacle, 'foreign')
  t.equal(browser.store.rows.size, 1, 'the answer stays')
})

t.test('sets a refused answer aside, and continues with the next one', async (t) => {
  const cases = [
    { reply: own(409, { message: 'Neuere Antwort vorhanden' }, 'newer_answer'), status: 409, kind: 'newer' },
    { reply: own(410, { message: 'Der Versuch ist beendet' }, 'attempt_over'), status: 410, kind: 'ended' },
    { reply: own(400, { message: '„1.000“ ist mehrdeutig' }, 'ambiguous'), status: 400, kind: 'refused' },
  ]
  for (const { reply, status, kind } of cases) {
    const browser = new Browser()
    const { queue, heard } = browser.openTab()
    browser.reply = (answer) => (answer.slot === 0 ? reply : saved(answer))
    await Promise.all([queue.put(answerTo(0, 'a')), queue.put(answerTo(1, 'b'))])
    await queue.wake()
    t.match(await queue.of(USER, ATTEMPT), [{ slot: 0, refusal: { status } }])
    t.match(
      heard.find(({ answer, result }) => answer.slot === 0 && result !== undefined),
      { result: { kind } },
    )
    browser.sent.length = 0
    await queue.wake()
    t.strictSame(browser.sent, [], `${status} is not sent again`)
    browser.reply = saved
    await queue.put(answerTo(0, 'anders', 2))
    await queue.wake()
    t.strictSame(browser.sent, ['0/2'], 'a changed answer is sent')
    t.equal(browser.store.rows.size, 0)
  }
})

t.test('an answer that is changed while it is sent is sent afterwards', async (t) => {
  const browser = new Browser()
  const { queue } = browser.openTab()
  let release: (outcome: Outcome) => void = () => undefined
  let arrive: () => void = () => undefined
  const isArrived = new Promise<void>((resolve) => (arrive = resolve))
  browser.reply = (answer) => {
    if (answer.seq > 1) return saved(answer)
    arrive()
    return new Promise((resolve) => (release = resolve))
  }
  await queue.put(answerTo(0, 'a'))
  await isArrived
  await queue.put(answerTo(0, 'b', 2))
  release(saved(answerTo(0, 'a')))
  await queue.wake()
  t.strictSame(browser.sent, ['0/1', '0/2'])
  t.equal(browser.store.rows.size, 0)
})

t.test('an answer that is given while sending ends is sent', async (t) => {
  const browser = new Browser()
  browser.reply = () => LOST
  const { queue } = browser.openTab()
  await queue.put(answerTo(0, 'a'))
  await queue.wake()
  browser.reply = saved
  browser.sent.length = 0
  let given: Promise<void> | undefined
  queue.watch((obstacle) => {
    if (obstacle !== undefined) return
    browser.store.rows.set('given', answerTo(1, 'b'))
    given = queue.wake()
  })
  await queue.wake()
  await given
  t.strictSame(browser.sent, ['0/1', '1/1'])
})

t.test('two tabs send each answer once, and each is notified about the other', async (t) => {
  const browser = new Browser()
  const [one, other] = [browser.openTab(), browser.openTab()]
  await Promise.all([one.queue.put(answerTo(0, 'a')), other.queue.put(answerTo(1, 'b'))])
  await Promise.all([one.queue.wake(), other.queue.wake()])
  t.strictSame([...browser.sent].sort(), ['0/1', '1/1'])
  for (const { heard } of [one, other]) {
    t.strictSame(
      heard
        .filter(({ result }) => result?.kind === 'saved')
        .map(({ answer }) => answer.slot)
        .sort(),
      [0, 1],
    )
  }
  t.match(one.heard[0] ?? other.heard[0], { answer: { attempt: ATTEMPT } })
})

t.test('without storage, answers are kept in memory and still sent', async (t) => {
  const browser = new Browser()
  browser.store.isForbidden = true
  browser.reply = () => LOST
  const { queue } = browser.openTab()
  await queue.put(answerTo(0, 'a'))
  await queue.put(answerTo(0, 'b', 2))
  await queue.wake()
  t.equal(queue.volatile, 1, 'the page warns before it closes')
  t.match(await queue.of(USER, ATTEMPT), [{ seq: 2, answer: { text: 'b' } }])
  browser.reply = () => own(410, { message: 'Der Versuch ist beendet' }, 'attempt_over')
  await queue.wake()
  const [late] = await queue.of(USER, ATTEMPT)
  t.match(late, { refusal: { status: 410 } })
  if (late) await queue.remove(late)
  t.equal(queue.volatile, 0)
  browser.reply = saved
  await queue.put(answerTo(1, 'c'))
  await queue.wake()
  t.equal(queue.volatile, 0)
})

t.test('sends no answer of another user, and none without a login', async (t) => {
  const browser = new Browser()
  const { queue } = browser.openTab()
  browser.user = undefined
  await queue.put(answerTo(0, 'a'))
  await queue.wake()
  browser.user = USER + 1
  await queue.wake()
  t.strictSame(browser.sent, [])
  t.equal(browser.store.rows.size, 1)
  browser.user = USER
  await queue.wake()
  t.strictSame(browser.sent, ['0/1'])
})
