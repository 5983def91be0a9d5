import { fieldsOf } from '../../platform/fields.js'
import type { AnswerStore, StoredAnswer } from '../../storage/answer.js'
import type { SendLock } from '../../storage/store.js'
import { type Pause, SendLoop, type SendLoopPorts } from '../send-loop.js'
import { type HttpResponse, judge, messageOf, type Obstacle, type Outcome } from '../verdict.js'

export type AnswerResult =
  | { kind: 'saved'; secondsLeft: number | null }
  /** The service has a newer answer, or another answer with the same `seq`, for example from another device. */
  | { kind: 'newer' }
  | { kind: 'ended' }
  | { kind: 'refused'; message: string }

export interface AnswerQueueEvent {
  answer: StoredAnswer
  /** Result of sending the answer; undefined in the event that announces a new answer to other tabs */
  result?: AnswerResult
}

export interface AnswerQueuePorts extends Pick<SendLoopPorts, 'now' | 'random' | 'later'> {
  store: AnswerStore
  send(answer: StoredAnswer): Promise<Outcome>
  /** Adds a confirmed answer to the copy of its attempt, which is shown while the service is unreachable. */
  addToCopy(answer: StoredAnswer): Promise<void>
  withSendLock(work: (turn: SendLock) => Promise<void>): Promise<void>
  /** Id of the user who last logged in with this browser; undefined after a logout */
  currentUser(): number | undefined
  /** Channel to the other pages of the app in this browser */
  channel: { send(event: AnswerQueueEvent): void; listen(listener: (event: AnswerQueueEvent) => void): void }
}

/** Error codes that make a 404 or 409 final: a newer answer exists, or the attempt or question does not exist */
const IS_OVER = new Set(['newer_answer', 'attempt_not_found', 'slot_not_found'])

const isSaved = (body: unknown) => Number.isInteger(fieldsOf(body).seq)

const keyOf = ({ user, attempt, slot }: StoredAnswer) => `${user} ${attempt} ${slot}`

/**
 * Queue of test answers that the service has not confirmed. The queue stores them on this device, sends them one by
 * one, and retries each until its result is final. A newer answer to a question replaces an older one in the queue.
 */
export class AnswerQueue {
  readonly #ports: AnswerQueuePorts
  /** Answers that the browser could not store. They are lost when the page closes. */
  readonly #volatile = new Map<string, StoredAnswer>()
  readonly #listeners = new Set<(event: AnswerQueueEvent) => void>()
  readonly #watchers = new Set<(obstacle: Obstacle | undefined) => void>()
  readonly #loop: SendLoop
  #obstacle: Obstacle | undefined

  constructor(ports: AnswerQueuePorts) {
    this.#ports = ports
    this.#loop = new SendLoop({
      ...ports,
      sendWaiting: (onSent) => this.#sendWaiting(onSent),
      onChange: (obstacle) => this.#changed(obstacle),
    })
    ports.channel.listen((event) => this.#tell(event))
  }

  get obstacle(): Obstacle | undefined {
    return this.#obstacle
  }

  get volatile(): number {
    return this.#volatile.size
  }

  /** Stores an answer (in memory if the browser cannot store it) and sends it. Resolves when the answer is stored. */
  async put(answer: StoredAnswer): Promise<void> {
    try {
      await this.#ports.store.put(answer)
      this.#volatile.delete(keyOf(answer))
    } catch {
      this.#volatile.set(keyOf(answer), answer)
    }
    this.#ports.channel.send({ answer })
    void this.wake()
  }

  async of(user: number, attempt: number): Promise<StoredAnswer[]> {
    return (await this.#list(user)).filter((answer) => answer.attempt === attempt)
  }

  /** Removes an answer unless a newer one has replaced it. */
  async remove(answer: StoredAnswer): Promise<void> {
    if (this.#volatile.get(keyOf(answer))?.seq === answer.seq) this.#volatile.delete(keyOf(answer))
    await this.#ports.store.remove(answer).catch(() => undefined)
  }

  /**
   * Sends the waiting answers of the current user now, even during a pause, because the attempt may end soon. Resolves
   * when sending ends, or when an obstacle pauses it.
   */
  wake(): Promise<void> {
    return this.#loop.wake('urgent')
  }

  listen(listener: (event: AnswerQueueEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  watch(watcher: (obstacle: Obstacle | undefined) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  async #list(user: number): Promise<StoredAnswer[]> {
    const stored = await this.#ports.store.list(user).catch(() => [])
    const own = [...this.#volatile.values()].filter((answer) => answer.user === user)
    const isReplaced = (answer: StoredAnswer) => this.#volatile.has(keyOf(answer))
    return [...stored.filter((answer) => !isReplaced(answer)), ...own]
  }

  #changed(obstacle: Obstacle | undefined): void {
    if (obstacle === this.#obstacle) return
    this.#obstacle = obstacle
    for (const watcher of this.#watchers) watcher(obstacle)
  }

  async #sendWaiting(onSent: () => void): Promise<Pause | undefined> {
    const user = this.#ports.currentUser()
    if (user === undefined) return undefined
    for (const { attempt, slot, refusal } of await this.#list(user)) {
      if (refusal !== undefined) continue
      let pause: Pause | undefined
      // The lock is released after each request, so that a login waits for one request at most.
      await this.#ports.withSendLock(async (turn) => {
        // During the wait for the lock, another tab may have sent the answer, the learner may have changed it, or
        // another user may have logged in. The answer is therefore read again.
        const answer = (await this.#list(user)).find((one) => one.attempt === attempt && one.slot === slot)
        if (answer === undefined || answer.refusal !== undefined || this.#ports.currentUser() !== user) return
        pause = turn.isHeld() ? await this.#send(answer) : { obstacle: 'service' }
      })
      if (pause !== undefined) return pause
      onSent()
    }
    return undefined
  }

  async #send(answer: StoredAnswer): Promise<Pause | undefined> {
    const verdict = judge(await this.#ports.send(answer), isSaved, IS_OVER)
    if (verdict.kind === 'wait') return verdict
    const result = resultOf(verdict.response)
    if (result.kind === 'saved') {
      await this.#ports.addToCopy(answer)
      await this.remove(answer)
    } else await this.#setAside(answer, verdict.response.status, result)
    this.#tell({ answer, result })
    this.#ports.channel.send({ answer, result })
    return undefined
  }

  /** Stores the refusal with the answer, so that the refusal is known after a reload. */
  async #setAside(answer: StoredAnswer, status: number, result: AnswerResult): Promise<void> {
    const refusal = { status, message: result.kind === 'refused' ? result.message : '' }
    const kept = this.#volatile.get(keyOf(answer))
    if (kept?.seq === answer.seq) this.#volatile.set(keyOf(answer), { ...kept, refusal })
    await this.#ports.store.refuse(answer, refusal).catch(() => undefined)
  }

  #tell(event: AnswerQueueEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

function resultOf({ status, body }: HttpResponse): AnswerResult {
  const { seconds_left } = fieldsOf(body)
  if (status === 200) return { kind: 'saved', secondsLeft: typeof seconds_left === 'number' ? seconds_left : null }
  if (status === 409) return { kind: 'newer' }
  if (status === 410) return { kind: 'ended' }
  return { kind: 'refused', message: messageOf(body) }
}
