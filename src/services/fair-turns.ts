import { FairQueue, type Share } from '../domain/fair-queue.js'
import { TooManyAttempts, Unavailable } from '../domain/refusal.js'

export interface TurnShare extends Share {
  isUrgent?: boolean
}

export interface FairTurnsOptions {
  concurrent: number
  /** Maximum number of concurrent tasks of one owner; default: no limit */
  runningPerOwner?: number
  /** Maximum number of waiting urgent tasks; default: 0 */
  waitingUrgent?: number
  /** Maximum number of waiting tasks that are not urgent */
  waitingOthers: number
  waitingPerOwner: number
  retryAfterSeconds: number
}

/** Every fifth start prefers a task that is not urgent, so that many logins cannot block all other tasks. */
const NON_URGENT_INTERVAL = 5

interface Waiting {
  start: () => void
  refuse: (error: Error) => void
}

/** Share of tasks without a user: the creation of the first administrator, and tasks of the command line */
export const PROGRAM: TurnShare = { group: 'program', owner: 'program' }

/** Returns the share of an account, the same for requests from all addresses. @param userId null: the command line */
export function accountShare(userId: number | null): TurnShare {
  return userId === null ? PROGRAM : { group: `${userId}`, owner: `${userId}` }
}

/**
 * Limits the number of concurrent tasks. Urgent tasks start before the others, except at every fifth start. Tasks of
 * the same urgency start round-robin over the groups and over the owners of a group. Known libraries do not suffice:
 * `p-queue`, `bottleneck` and `fastq` have a single queue; `p-key-limit` and `fair-task-pool` run as many tasks at a
 * time as there are keys.
 */
export class FairTurns {
  readonly #options: FairTurnsOptions
  readonly #urgent: FairQueue<Waiting>
  readonly #others: FairQueue<Waiting>
  readonly #running = new Map<string, number>()
  #slots: number
  #started = 0

  constructor(options: FairTurnsOptions) {
    this.#options = options
    this.#slots = options.concurrent
    this.#urgent = new FairQueue(options.waitingUrgent ?? 0)
    this.#others = new FairQueue(options.waitingOthers)
  }

  /**
   * Runs the task as soon as the queue admits it, and returns its result.
   * @param signal removes a waiting task from the queue; a running task is not affected
   * @throws TooManyAttempts if `waitingPerOwner` tasks of the owner already wait
   * @throws Unavailable if the full queue drops this task: the last task of the owner with the most waiting tasks, in
   * the group with the most waiting tasks. A later call of `run` may also drop this task while it waits.
   * @throws the reason of the signal if it is aborted before the task starts
   */
  async run<T>(share: TurnShare, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.#slots > 0 && this.#mayRun(share)) this.#take(share)
    else await this.#wait(share, signal)
    try {
      return await task()
    } finally {
      this.#release(share)
    }
  }

  async #wait(share: TurnShare, signal: AbortSignal | undefined): Promise<void> {
    const queue = share.isUrgent ? this.#urgent : this.#others
    const { waitingPerOwner, retryAfterSeconds } = this.#options
    if (queue.waitingOf(share) >= waitingPerOwner) throw new TooManyAttempts(retryAfterSeconds)
    let abort = () => {}
    try {
      await new Promise<void>((start, refuse) => {
        const waiting = { start, refuse }
        abort = () => {
          queue.remove(share, waiting)
          refuse(signal?.reason)
        }
        signal?.addEventListener('abort', abort)
        queue.push(share, waiting)?.refuse(new Unavailable(retryAfterSeconds))
      })
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  #mayRun(share: Share): boolean {
    return (this.#running.get(keyOf(share)) ?? 0) < (this.#options.runningPerOwner ?? Number.POSITIVE_INFINITY)
  }

  #take(share: Share): void {
    this.#slots--
    this.#started++
    this.#running.set(keyOf(share), (this.#running.get(keyOf(share)) ?? 0) + 1)
  }

  /** Passes the slot directly to the next waiting task, so that a later call of `run` cannot take it. */
  #release(share: Share): void {
    this.#slots++
    const left = (this.#running.get(keyOf(share)) ?? 0) - 1
    if (left > 0) this.#running.set(keyOf(share), left)
    else this.#running.delete(keyOf(share))
    const isOthersTurn = this.#started % NON_URGENT_INTERVAL === 0
    const [first, second] = isOthersTurn ? [this.#others, this.#urgent] : [this.#urgent, this.#others]
    const mayRun = (owner: Share) => this.#mayRun(owner)
    const next = first.shift(mayRun) ?? second.shift(mayRun)
    if (next === undefined) return
    this.#take(next.share)
    next.item.start()
  }
}

function keyOf({ group, owner }: Share): string {
  return `${group} ${owner}`
}
