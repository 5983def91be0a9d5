import { FairQueue, type Share } from '../domain/fair-queue.js'
import { TooManyAttempts, Unavailable } from '../domain/refusal.js'

/** The owner of a task in the queue. */
export interface TurnShare extends Share {
  /** Urgent tasks are served before others; those of logins are. */
  isUrgent?: boolean
}

export interface FairTurnsOptions {
  /** Number of concurrent tasks */
  concurrent: number
  /** Maximum number of concurrent tasks of one owner; default: no limit */
  runningPerOwner?: number
  /** Maximum number of waiting urgent tasks, and of others */
  waitingUrgent?: number
  waitingOthers: number
  /** Maximum number of waiting tasks of one owner */
  waitingPerOwner: number
  retryAfterSeconds: number
}

/** Every fifth task is not urgent if others wait, so that a flood of logins does not stop them. */
const OTHERS_TURN = 5

interface Waiting {
  start: () => void
  refuse: (error: Error) => void
}

/** Share of the program itself: first administrator and command line */
export const PROGRAM: TurnShare = { group: 'program', owner: 'program' }

/** Returns the share of a logged-in user by account, from any address; null is the command line. */
export function accountShare(userId: number | null): TurnShare {
  return userId === null ? PROGRAM : { group: `${userId}`, owner: `${userId}` }
}

/**
 * Runs a few tasks at a time: urgent ones first, groups and their owners in turn. `p-queue`, `bottleneck` and `fastq`
 * have one queue for all; `p-key-limit` and `fair-task-pool` run as many at a time as there are keys.
 */
export class FairTurns {
  readonly #options: FairTurnsOptions
  readonly #urgent: FairQueue<Waiting>
  readonly #others: FairQueue<Waiting>
  /** Running tasks by owner */
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
   * Runs the task when its turn comes.
   * @param signal ends the waiting with its reason; a running task is not affected
   * @throws TooManyAttempts if too many tasks of the owner wait
   * @throws Unavailable if the queue is full and no other owner has more waiting
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

  /** Hands the slot over directly, so that a new arrival cannot take it. */
  #release(share: Share): void {
    this.#slots++
    const left = (this.#running.get(keyOf(share)) ?? 0) - 1
    if (left > 0) this.#running.set(keyOf(share), left)
    else this.#running.delete(keyOf(share))
    const isOthersTurn = this.#started % OTHERS_TURN === 0
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
