import { createMemoryStore } from '../../../web/src/outbox/memory.js'
import { Outbox } from '../../../web/src/outbox/outbox.js'
import { Sender, type Transport } from '../../../web/src/outbox/sender.js'
import type { Outcome } from '../../../web/src/outbox/verdict.js'
import type { Entry, RatingEntry } from '../../../web/src/storage/entry.js'
import type { Store } from '../../../web/src/storage/store.js'

/** Ids of cards whose ratings the model refuses; each id is also the status of the refusal */
export const GONE = 404
export const TAKEN = 409
export const MALFORMED = 400

export const FAULTS = [
  'none',
  'request lost',
  'response lost',
  'busy',
  'broken',
  'half',
  'json 200',
  'json 404',
  'json batch',
  'html',
] as const
export type Fault = (typeof FAULTS)[number]

interface Row {
  id: string
  user: number
  review_id: number
  isUndone: boolean
}

/** Model of the service: a rating takes effect only once per client id and user, and an undo is final. */
class ModelService {
  readonly rows: Row[] = []
  readonly foreign: string[] = []
  /** Pairs of an undone rating and a later, still valid rating; the real service would refuse to undo the first one */
  readonly standingAtUndo: { undone: string; later: string }[] = []
  takesBatches = true

  rate(user: number, { id, card_id, user: owner }: RatingEntry): Said {
    if (owner !== user) this.foreign.push(id)
    if (card_id === GONE) return refusal(404, 'card_not_found')
    if (card_id === TAKEN) return refusal(409, 'other_review')
    if (card_id === MALFORMED) return refusal(400, 'invalid_input')
    let row = this.rows.find((one) => one.id === id && one.user === user)
    if (row === undefined) {
      row = { id, user, review_id: this.rows.length + 1, isUndone: false }
      this.rows.push(row)
    }
    return { status: 200, isOwn: true, body: { review_id: row.review_id, card_id, applied: true } }
  }

  undo(user: number, review_id: number): Said {
    const row = this.rows.find((one) => one.review_id === review_id)
    if (row === undefined || row.user !== user) return refusal(404, 'review_not_found')
    if (!row.isUndone) {
      const later = this.rows.filter((one) => one.user === user && one.review_id > review_id && !one.isUndone)
      this.standingAtUndo.push(...later.map(({ id }) => ({ undone: row.id, later: id })))
    }
    row.isUndone = true
    return { status: 200, isOwn: true, body: { card_id: 1, next_undo: null } }
  }

  standing(user: number): string[] {
    return this.rows.filter((row) => row.user === user && !row.isUndone).map(({ id }) => id)
  }
}

interface Said {
  status: number
  isOwn: boolean
  code?: string
  body: Record<string, unknown>
}

function refusal(statusCode: number, code: string): Said {
  return { status: statusCode, isOwn: true, code, body: { statusCode, error: 'Fehler', message: 'So nicht' } }
}

/** Responses of gateways and captive portals */
const FOREIGN: Partial<Record<Fault, { status: number; body: unknown }>> = {
  'json 200': { status: 200, body: { portal: 'https://wlan.example' } },
  'json 404': { status: 404, body: { message: 'no Route matched with those values' } },
  'json batch': { status: 200, body: { results: [] } },
  html: { status: 200, body: undefined },
}

interface Pending {
  /**
   * Page that runs the step; killing the page discards the step. Undefined for a sent request, which continues when the
   * page is killed
   */
  tab: Tab | undefined
  resume: () => void
}

/** Model of a browser with tabs, a disk and a network. Asynchronous steps run one at a time, in random order. */
export class World {
  readonly service = new ModelService()
  /** Storage that survives a killed page */
  readonly disk = createMemoryStore()
  /** User whose session cookie the browser has */
  loggedIn: number | undefined
  isDiskFull = false
  now = 0
  readonly tabs = new Set<Tab>()
  #pending: Pending[] = []
  #timers: { at: number; work: () => void; tab: Tab }[] = []
  #holder: Tab | undefined
  #queue: { tab: Tab; resume: () => void }[] = []

  constructor(
    /** Returns a random integer from 0 to `below` - 1. */
    readonly draw: (below: number) => number,
    public nextFault: () => Fault,
  ) {}

  step(tab: Tab | undefined): Promise<void> {
    return new Promise((resume) => {
      // Steps of a killed page never continue.
      if (tab === undefined || this.tabs.has(tab)) this.#pending.push({ tab, resume })
    })
  }

  async run(count: number): Promise<boolean> {
    for (let done = 0; done < count; done++) {
      await settleMicrotasks()
      if (this.#pending.length === 0) return false
      const [{ resume }] = this.#pending.splice(this.draw(this.#pending.length), 1) as [Pending]
      resume()
    }
    return true
  }

  async runOut(): Promise<void> {
    for (let rounds = 0; rounds < 10_000; rounds++) {
      if (await this.run(1)) continue
      if (this.#timers.length === 0) return
      this.passTime(60_000)
    }
    throw new Error('it never ends')
  }

  passTime(ms: number): void {
    this.now += ms
    const due = this.#timers.filter(({ at }) => at <= this.now)
    this.#timers = this.#timers.filter((timer) => !due.includes(timer))
    for (const { work } of due) work()
  }

  later(tab: Tab, work: () => void, ms: number): () => void {
    const timer = { at: this.now + ms, work, tab }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  async withSendLock(tab: Tab, work: () => Promise<void>): Promise<void> {
    await this.step(tab)
    if (this.#holder === undefined) this.#holder = tab
    else await new Promise<void>((resume) => this.#queue.push({ tab, resume }))
    // The page was killed before it obtained the lock.
    if (!this.tabs.has(tab)) return new Promise(() => undefined)
    try {
      await work()
    } finally {
      this.#release()
    }
  }

  #release(): void {
    const next = this.#queue.shift()
    this.#holder = next?.tab
    next?.resume()
  }

  kill(tab: Tab): void {
    this.tabs.delete(tab)
    this.#pending = this.#pending.filter((pending) => pending.tab !== tab)
    this.#timers = this.#timers.filter((timer) => timer.tab !== tab)
    this.#queue = this.#queue.filter((waiter) => waiter.tab !== tab)
    if (this.#holder === tab) this.#release()
  }
}

export class Tab {
  readonly outbox: Outbox
  readonly sender: Sender
  readonly memory = createMemoryStore()
  #doing: Promise<unknown> = Promise.resolve()

  constructor(readonly world: World) {
    this.outbox = new Outbox(this.#disk(), this.memory)
    this.sender = new Sender({
      outbox: this.outbox,
      transport: this.#transport(),
      withSendLock: (work) => world.withSendLock(this, () => work({ isHeld: () => true })),
      currentUser: () => world.loggedIn,
      verifyUser: async (user) => {
        await world.step(this)
        return user === world.loggedIn ? 'verified' : 'other'
      },
      now: () => world.now,
      random: () => 0.5,
      later: (work, ms) => world.later(this, work, ms),
      onChange: () => undefined,
      onUndoRefused: () => undefined,
    })
    world.tabs.add(this)
  }

  /** Runs a user's action after all earlier actions in this tab have succeeded or failed. */
  do<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#doing.then(work)
    this.#doing = result.catch(() => undefined)
    return result
  }

  #disk(): Store {
    const { world } = this
    const through =
      (isWriting: boolean): Store['change'] =>
      async (work) => {
        await world.step(this)
        if (isWriting && world.isDiskFull) throw new Error('QuotaExceededError')
        const result = await world.disk.change(work)
        await world.step(this)
        return result
      }
    return { change: through(true), read: through(false) }
  }

  #transport(): Transport {
    const { world } = this
    const { service } = world
    /** Sends a request as the user who is logged in at the time of sending. */
    const send = async (handle: (user: number, isHalf: boolean) => Outcome): Promise<Outcome> => {
      const user = world.loggedIn
      const fault = world.nextFault()
      const arrival = world.step(undefined).then((): Outcome => {
        if (fault === 'request lost') return { kind: 'lost' }
        if (fault === 'busy') return { kind: 'received', ...refusal(429, 'too_many_attempts'), retryAfter: 5_000 }
        const foreign = FOREIGN[fault]
        if (foreign !== undefined) return { kind: 'received', isOwn: false, ...foreign }
        if (user === undefined) return { kind: 'received', ...refusal(401, 'not_logged_in') }
        const outcome = handle(user, fault === 'half')
        if (fault === 'response lost') return { kind: 'lost' }
        if (fault === 'broken' || fault === 'half') return { kind: 'received', ...refusal(503, 'unavailable') }
        return outcome
      })
      const outcome = await arrival
      await world.step(this)
      return outcome
    }
    return {
      rate: (entry) => send((user) => ({ kind: 'received', ...service.rate(user, entry) })),
      rateMany: (entries) =>
        send((user, isHalf) => {
          // The real service refuses a batch with the rating `tomorrow`, so an entry in `foreign` makes the test fail.
          if (entries.some(({ rating }) => rating === 'tomorrow')) service.foreign.push('tomorrow in a batch')
          if (!service.takesBatches) return { kind: 'received', ...refusal(404, 'unknown_endpoint') }
          const rated = entries.slice(0, isHalf ? entries.length / 2 : undefined)
          const results = rated.map((entry) => {
            const { status, code, body } = service.rate(user, entry)
            return status === 200 ? { status, review: body } : { status, code, error: String(body.message) }
          })
          return { kind: 'received', status: 200, isOwn: true, body: { results } }
        }),
      undo: (review_id) => send((user) => ({ kind: 'received', ...service.undo(user, review_id) })),
    }
  }
}

export async function idsIn(store: Store, user: number): Promise<string[]> {
  const entries: Entry[] = await store.read((tables) => tables.oldest(user, Number.MAX_SAFE_INTEGER))
  return entries.map(({ id }) => id)
}

export async function settleMicrotasks(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
