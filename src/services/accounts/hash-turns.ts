import { FairQueue, type Share } from '../../domain/accounts/fair-queue.js'
import { TooManyAttempts, Unavailable } from '../../domain/refusals.js'

/** For whom a password is hashed. */
export interface HashShare extends Share {
  /** Somebody waits to be let in: before those who are. */
  isLogin: boolean
}

export interface HashTurnsOptions {
  /** How many hashes run at a time. */
  concurrent: number
  /** How many logins may wait, and how many others. */
  waitingLogins: number
  waitingOthers: number
  /** How many of one owner may wait. */
  waitingPerOwner: number
  retryAfterSeconds: number
}

/** Of so many hashes the last one is not of a login, if any other waits: a flood of logins must not stop the rest. */
const OTHERS_TURN = 5

interface Waiting {
  start: () => void
  refuse: (error: Error) => void
}

/**
 * Runs hashes, a few at a time: logins first, and in turn for each network and account. `p-queue`, `bottleneck` and
 * `fastq` have one line for all, `p-key-limit` and `fair-task-pool` as many at a time as there are keys.
 */
export class HashTurns {
  readonly #options: HashTurnsOptions
  readonly #logins: FairQueue<Waiting>
  readonly #others: FairQueue<Waiting>
  #running = 0
  #started = 0

  constructor(options: HashTurnsOptions) {
    this.#options = options
    this.#logins = new FairQueue(options.waitingLogins)
    this.#others = new FairQueue(options.waitingOthers)
  }

  /**
   * Runs the work when it is its turn.
   * @throws TooManyAttempts when the owner has enough waiting
   * @throws Unavailable when too many wait, and this owner has no fewer than others
   */
  async run<T>(share: HashShare, work: () => Promise<T>): Promise<T> {
    const queue = share.isLogin ? this.#logins : this.#others
    const { concurrent, waitingPerOwner, retryAfterSeconds } = this.#options
    if (queue.waitingOf(share) >= waitingPerOwner) throw new TooManyAttempts(retryAfterSeconds)
    if (this.#running >= concurrent) {
      await new Promise<void>((start, refuse) => {
        queue.push(share, { start, refuse })?.refuse(new Unavailable(retryAfterSeconds))
      })
    } else {
      this.#running++
    }
    this.#started++
    try {
      return await work()
    } finally {
      const next = this.#next()
      // The place is handed over, so that nobody who comes now takes it.
      if (next === undefined) this.#running--
      else next.start()
    }
  }

  #next(): Waiting | undefined {
    const isOthersTurn = this.#started % OTHERS_TURN === 0
    const [first, second] = isOthersTurn ? [this.#others, this.#logins] : [this.#logins, this.#others]
    return first.shift() ?? second.shift()
  }
}
