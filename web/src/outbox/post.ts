import type { Decision, Entry, UndoEntry } from '../storage/entry.js'
import type { Store } from '../storage/store.js'
import { Outbox, type UndoResult } from './outbox.js'
import { Sender, type SenderPorts } from './sender.js'
import type { Obstacle } from './verdict.js'

/** Event that another page or the sender of this page has caused. `changed`: entries were added, sent or refused. */
export type PostEvent =
  | { kind: 'rated'; user: number; card_id: number; rating: Decision }
  | { kind: 'undo refused'; user: number; card_id: number; message: string }
  | { kind: 'changed'; user: number }

/** State of the outbox, shown by the interface */
export interface PostState {
  /** Number of ratings and undos that the service has not confirmed */
  waiting: number
  /** Number of entries that the browser could not store, which are lost when the page closes */
  volatile: number
  /** Entries that the service has refused */
  refused: Entry[]
  obstacle: Obstacle | undefined
}

export interface PostPorts extends Pick<SenderPorts, 'transport' | 'withSendLock' | 'now' | 'random' | 'later'> {
  durable: Store
  memory: Store
  state: PostState
  /** The other pages of the app in this browser */
  channel: { send(event: PostEvent): void; listen(listener: (event: PostEvent) => void): void }
  /** Id of the user who last logged in with this browser */
  rememberedUser(): number | undefined
  /** Loads the user's id; undefined if the service refuses or a proxy responds. Rejects if no response arrives */
  fetchUser(): Promise<number | undefined>
  /** Opens the login dialog; resolves when requests succeed again */
  askForLogin(): Promise<unknown>
  /** Monotonic clock in milliseconds */
  elapsed(): number
  /** Time of the service's clock; the device's time until that is known */
  serviceTime(): Date
  /** Deletes the cached content of all other users */
  forgetOthers(user: number): void
  /** Called when the last waiting entry has been sent */
  onAllSent(): void
}

/**
 * Milliseconds after which the user is verified with the service again. This detects logins outside of the app; a login
 * in another page of the app is known at once, because pages share the user.
 */
const BELIEVED_MS = 60_000

/** The outbox of this page: connects its store and its sender with the user, the other pages and the interface. */
export class Post {
  readonly #ports: PostPorts
  readonly #outbox: Outbox
  readonly #sender: Sender
  readonly #listeners = new Set<(event: PostEvent) => void>()
  #user: number | undefined
  #askedAt = 0
  /** Number of reads of the store so far; only the latest result is shown */
  #reads = 0
  #isUnannounced = false

  constructor(ports: PostPorts) {
    this.#ports = ports
    this.#outbox = new Outbox(ports.durable, ports.memory)
    this.#sender = new Sender({
      ...ports,
      outbox: this.#outbox,
      currentUser: () => this.#currentUser(),
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

  /** Sets the user, deletes the cached content of other users if the user has changed, and starts sending. */
  open(user: number): void {
    if (this.#user !== user) this.#ports.forgetOthers(user)
    this.#user = user
    this.#askedAt = this.#ports.elapsed()
    void this.#refresh()
    this.#sender.wake('changed')
  }

  /**
   * Stores a rating or the postponement of a card, and sends it. Resolves when it is stored. `name` is a new id, which
   * the caller can pass to `takeBack`.
   */
  async rate(name: string, card_id: number, rating: Decision, duration_ms?: number): Promise<void> {
    const user = this.#owner()
    const reviewed_at = this.#ports.serviceTime().toISOString()
    await this.#outbox.add(user, { id: name, card_id, rating, duration_ms, reviewed_at })
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

  /** Removes an entry that the service has refused. */
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

  /** Calls the listener for each event until the returned function is called. */
  listen(listener: (event: PostEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #owner(): number {
    if (this.#user === undefined) throw new Error('no user is logged in')
    return this.#user
  }

  /** Returns the user of the session cookie: the last user who logged in here, verified after `BELIEVED_MS`. */
  async #currentUser(): Promise<number | undefined> {
    const { rememberedUser, fetchUser, elapsed } = this.#ports
    const remembered = rememberedUser() ?? this.#user
    if (elapsed() - this.#askedAt < BELIEVED_MS) return remembered
    try {
      const found = await fetchUser()
      if (found === undefined) return remembered
      this.#askedAt = elapsed()
      return found
    } catch {
      // The service is unreachable. Sending the ratings will fail for the same reason, and the page will show it.
      return remembered
    }
  }

  async #changed(obstacle: Obstacle | undefined): Promise<void> {
    const { state, channel, askForLogin } = this.#ports
    const isNew = obstacle !== state.obstacle
    state.obstacle = obstacle
    await this.#refresh()
    if (this.#user !== undefined) {
      const event: PostEvent = { kind: 'changed', user: this.#user }
      channel.send(event)
      this.#tell(event)
    }
    // A login through the identity provider may change the user without notice, so the user is verified before the next
    // request.
    if (obstacle === 'login') this.#askedAt = Number.NEGATIVE_INFINITY
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

  #tell(event: PostEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}
