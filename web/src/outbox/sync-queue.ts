import type { Decision, Entry, Rated, UndoEntry } from '../storage/entry.js'
import type { Store } from '../storage/store.js'
import { Outbox, type UndoResult } from './outbox.js'
import type { Pause } from './send-loop.js'
import { Sender, type SenderPorts } from './sender.js'
import { judgeUser, type Obstacle, type Outcome, userIn } from './verdict.js'

/** An event from another page or from the sender of this page; `changed`: the stored entries may have changed */
export type SyncEvent =
  | { kind: 'rated'; user: number; card_id: number; rating: Decision }
  | { kind: 'undo refused'; user: number; card_id: number; message: string }
  | { kind: 'changed'; user: number }

export interface SyncState {
  /** Number of ratings, postponements and undos that are not confirmed, except pairs that cancel each other */
  waiting: number
  /** Number of `waiting` entries that are only in memory and are lost when the page closes */
  volatile: number
  refused: Entry[]
  obstacle: Obstacle | undefined
}

export interface SyncPorts extends Pick<SenderPorts, 'transport' | 'withSendLock' | 'now' | 'random' | 'later'> {
  durable: Store
  memory: Store
  state: SyncState
  /** Channel to the other pages of the app in this browser */
  channel: { send(event: SyncEvent): void; listen(listener: (event: SyncEvent) => void): void }
  rememberedUser(): number | undefined
  /** Requests the account of the session's user */
  fetchUser(): Promise<Outcome>
  /** Opens the login dialog; resolves when requests succeed again */
  askForLogin(): Promise<unknown>
  /** Monotonic clock in milliseconds */
  elapsed(): number
  /** Time of the service's clock; the device's time while the difference is unknown */
  serviceTime(): Date
  /** Latest value of `keepStamp`, also of another page or before a reload; undefined after a logout */
  lastStamp(): number | undefined
  /** Stores the time of the user's latest rating on this device, in ms since the epoch */
  keepStamp(at: number): void
  deleteContentOfOthers(user: number): void
  /** Called when the number of waiting entries has become 0 */
  onAllSent(): void
}

/**
 * Milliseconds for which a verification of the user holds. It detects logins outside of the app. A login in another page
 * of the app is known at once, because the pages share the stored user.
 */
const VERIFY_AFTER_MS = 60_000

/**
 * After the clock was set back by less than this, in milliseconds, new ratings are stamped just after the last one, so
 * that the ratings stay in order. ntpd sets a clock back by up to 1,000 s by default; after a larger step, new ratings
 * are stamped with the clock, because the earlier stamps were wrong.
 */
const MAX_AHEAD_MS = 1_000_000

export class SyncQueue {
  readonly #ports: SyncPorts
  readonly #outbox: Outbox
  readonly #sender: Sender
  readonly #listeners = new Set<(event: SyncEvent) => void>()
  #user: number | undefined
  /** Id of the session's user at `#verifiedAt`, as reported by the service */
  #verified: unknown
  #verifiedAt = 0
  /** Number of reads of the store so far; only the result of the latest read is shown */
  #reads = 0
  #isUnannounced = false

  constructor(ports: SyncPorts) {
    this.#ports = ports
    this.#outbox = new Outbox(ports.durable, ports.memory)
    this.#sender = new Sender({
      ...ports,
      outbox: this.#outbox,
      currentUser: () => ports.rememberedUser() ?? this.#user,
      verifyUser: (user) => this.#verifyUser(user),
      onChange: (obstacle) => void this.#changed(obstacle),
      onUndoRefused: ({ user, card_id }: UndoEntry, message) =>
        this.#tell({ kind: 'undo refused', user, card_id, message }),
    })
    ports.channel.listen((event) => {
      if (event.user !== this.#user) return
      if (event.kind === 'changed') void this.#refresh()
      this.#tell(event)
    })
  }

  open(user: number): void {
    if (this.#user !== user) this.#ports.deleteContentOfOthers(user)
    this.#user = user
    void this.#refresh()
    this.#sender.wake('changed')
  }

  /**
   * Stores a rating or the postponement of a card, and sends it. Resolves when the entry is stored. `name` is a new id,
   * which the caller can pass to `takeBack`.
   */
  async rate(
    name: string,
    card_id: number,
    rating: Decision,
    about: Pick<Rated, 'duration_ms' | 'from'> = {},
  ): Promise<void> {
    const user = this.#owner()
    const reviewed_at = this.#nextInstant().toISOString()
    await this.#outbox.add(user, { ...about, id: name, card_id, rating, reviewed_at })
    this.#ports.state.waiting += 1
    this.#isUnannounced = true
    // The state is read again, because a read that has already begun may not include the rating.
    void this.#refresh()
    this.#ports.channel.send({ kind: 'rated', user, card_id, rating })
    this.#sender.wake()
  }

  async takeBack(name: string): Promise<UndoResult> {
    const result = await this.#outbox.undo(this.#owner(), name)
    this.#isUnannounced = true
    void this.#refresh()
    this.#sender.wake()
    return result
  }

  async discard(entry: Entry): Promise<void> {
    await this.#outbox.discard(entry.user, entry.id)
    await this.#refresh()
  }

  sendNow(): void {
    this.#sender.wake('changed')
  }

  unconfirmed(): Promise<Set<number>> {
    return this.#outbox.unconfirmed(this.#owner())
  }

  ratedSince(at: number): ReturnType<Outbox['ratedSince']> {
    return this.#outbox.ratedSince(this.#owner(), at)
  }

  listen(listener: (event: SyncEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #owner(): number {
    if (this.#user === undefined) throw new Error('no user is logged in')
    return this.#user
  }

  /** Returns the time for a rating: after that of the user's earlier ratings on this device, if possible. */
  #nextInstant(): Date {
    const now = this.#ports.serviceTime().getTime()
    const next = (this.#ports.lastStamp() ?? 0) + 1
    const stamp = next > now + MAX_AHEAD_MS ? now : Math.max(now, next)
    this.#ports.keepStamp(stamp)
    return new Date(stamp)
  }

  /**
   * Returns whether the session in the browser belongs to the user. Asks the service, unless it has confirmed the user
   * in the last `VERIFY_AFTER_MS`.
   */
  async #verifyUser(user: number): Promise<'verified' | 'other' | Pause> {
    const { elapsed, fetchUser } = this.#ports
    if (user === this.#verified && elapsed() - this.#verifiedAt < VERIFY_AFTER_MS) return 'verified'
    const verdict = judgeUser(await fetchUser())
    if (verdict.kind === 'wait') return verdict
    if (verdict.kind === 'refused') return { obstacle: 'service' }
    this.#verified = userIn(verdict.response.body)
    this.#verifiedAt = elapsed()
    return user === this.#verified ? 'verified' : 'other'
  }

  async #changed(obstacle: Obstacle | undefined): Promise<void> {
    const { state, channel, askForLogin } = this.#ports
    const isNew = obstacle !== state.obstacle
    state.obstacle = obstacle
    await this.#refresh()
    if (this.#user !== undefined) {
      const event: SyncEvent = { kind: 'changed', user: this.#user }
      channel.send(event)
      this.#tell(event)
    }
    // A login through the identity provider may change the user without notice, so the user is verified before the next
    // request.
    if (obstacle === 'login') this.#verified = undefined
    if (isNew && obstacle === 'login')
      askForLogin().then(
        () => this.sendNow(),
        () => undefined,
      )
  }

  async #refresh(): Promise<void> {
    if (this.#user === undefined) return
    this.#reads += 1
    const read = this.#reads
    const load = await this.#outbox.load(this.#user)
    if (read !== this.#reads) return
    Object.assign(this.#ports.state, load)
    if (load.waiting > 0) this.#isUnannounced = true
    else if (this.#isUnannounced) {
      this.#isUnannounced = false
      this.#ports.onAllSent()
    }
  }

  #tell(event: SyncEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}
