import { api } from '../../api/client.js'
import { Fault, sentenceOf } from '../../api/faults.js'
import { isLate } from '../../api/late-response.js'
import { queries } from '../../api/queries.js'
import { queryClient } from '../../api/query-client.js'
import type { Queue } from '../../api/types.js'
import { startSyncQueue } from '../../outbox/start-sync-queue.js'
import type { SyncEvent } from '../../outbox/sync-queue.js'
import { dismiss, showToast } from '../../parts/toasts.svelte.js'
import { whenIdle } from '../../platform/idle.js'
import { readStored, USER_KEY_PREFIX, writeStored } from '../../platform/storage.js'
import type { StudyCard } from '../../session/card.js'
import { isHardOverused } from '../../session/hard-reminder.js'
import type { Session, Step } from '../../session/session.js'
import * as sessions from '../../session/session.js'
import type { Origin } from '../../storage/entry.js'
import { newId } from '../../storage/id.js'
import { type Cached, cacheContent, findCached } from '../../storage/kept.js'
import type { Rating } from '../../words/ratings.js'

const ALL = 300
const MORE = 50
const REST_AFTER_MS = 200
const KEPT_STEPS = 20
const REMINDED = 'training.reminded'

/** Ratings of a day, stored in the browser for the summary at the end of a session */
interface DoneToday {
  day: string
  done: readonly sessions.Done[]
}

export class Study {
  session = $state.raw<Session>()
  today = $state('')
  /** Time of the cached queue that is shown, in ms since the epoch; otherwise undefined */
  keptAt = $state<number>()
  fault = $state.raw<unknown>()
  isReminded = $state(false)
  /** Whether the learner types answers: initially the setting, later the choice made in this session */
  isTyping = $state(false)
  readonly #syncQueue = startSyncQueue()
  readonly #user: number
  readonly #deck: string | undefined
  readonly #stops: (() => void)[] = []
  #isLoading = false
  /** Whether to load the queue again, because cards or dates became necessary while a request was running */
  #isReloadNeeded = false
  #isStoring = false

  constructor(user: number, deck: string | undefined) {
    this.#user = user
    this.#deck = deck
    this.#syncQueue.open(user)
    this.#stops.push(this.#syncQueue.listen((event) => this.#onEvent(event)))
  }

  async start(): Promise<void> {
    this.fault = undefined
    const cached = await findCached<Queue>(this.#user, this.#name)
    const request = this.#fetchFirst()
    try {
      const page = cached !== undefined && (await isLate(request)) ? undefined : await request
      if (page === undefined) await this.#startFrom(cached as Cached<Queue>, true)
      else await this.#startFrom(page, false)
      // The content of the late response is not used. Its arrival shows that the service is reachable, so the whole
      // queue is loaded afterwards.
      if (page === undefined) await request
    } catch (error) {
      if (cached === undefined || !(error instanceof Fault && error.isPassing)) this.fault = error
      else if (this.session === undefined) await this.#startFrom(cached, true)
      return
    }
    // The rest of the queue is loaded later, so that it does not delay the first card.
    await whenIdle(REST_AFTER_MS)
    await this.#loadQueue(ALL)
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  reveal(): void {
    this.#set((session, now) => sessions.reveal(session, now))
  }

  /** Stores the rating in the outbox, then shows the next card, without waiting for the network. */
  async rate(rating: Rating): Promise<void> {
    if (this.session === undefined || this.#isStoring) return
    const name = newId()
    const step = sessions.lastStep(sessions.rate(this.session, rating, name, performance.now()))
    if (step?.kind !== 'rated' || step.id !== name) return
    const { card } = step.waiting
    const { card_id } = card
    this.#isStoring = true
    try {
      await this.#syncQueue.rate(name, card_id, rating, { duration_ms: step.duration_ms, from: originOf(card) })
    } finally {
      this.#isStoring = false
    }
    if (sessions.currentCard(this.session)?.card_id !== card_id) return
    this.#set((session, now) => sessions.rate(session, rating, name, now))
    this.#remind()
    await this.#refill()
  }

  async undo(): Promise<void> {
    const step = this.session?.steps.at(-1)
    if (step === undefined || this.#isStoring || !this.#set((session, now) => sessions.undo(session, now))) return
    const { card_id } = step.waiting.card
    if (step.kind !== 'suspended') {
      if (step.kind === 'put off') dismiss()
      if ((await this.#syncQueue.takeBack(step.id)) === 'unknown')
        this.#refuseUndo(card_id, 'Das ließ sich nicht mehr zurücknehmen.')
      return
    }
    dismiss()
    const path = { id: String(card_id) }
    if (await this.#tell(() => api.delete('/api/review/cards/{id}/suspend', { path }))) showToast('Zurückgenommen')
  }

  async putOff(): Promise<void> {
    const card = this.session && sessions.currentCard(this.session)
    if (this.session === undefined || card === undefined || this.#isStoring) return
    const name = newId()
    if (sessions.putOff(this.session, name, performance.now()) === this.session) return
    this.#isStoring = true
    try {
      await this.#syncQueue.rate(name, card.card_id, 'tomorrow', { from: originOf(card) })
    } finally {
      this.#isStoring = false
    }
    if (sessions.currentCard(this.session)?.card_id !== card.card_id) return
    this.#set((session, now) => sessions.putOff(session, name, now))
    showToast('Kommt morgen wieder.')
    await this.#refill()
  }

  noteChanged(card_id: number, note: string | null): void {
    this.#set((session) => sessions.changeNote(session, card_id, note))
  }

  /** Suspends the current card. Needs the network, because the outbox stores no suspensions. */
  async suspend(): Promise<void> {
    const card = this.session && sessions.currentCard(this.session)
    if (card === undefined) return
    const id = card.card_id
    const isDone = await this.#tell(() => api.post('/api/review/cards/{id}/suspend', { path: { id: String(id) } }))
    if (!isDone || this.session === undefined || sessions.currentCard(this.session)?.card_id !== id) return
    this.#set((session, now) => sessions.suspend(session, now))
    showToast('Ausgesetzt, bis du sie zurückholst.')
  }

  async loadMore(): Promise<void> {
    await this.#loadQueue(ALL)
  }

  get #name(): string {
    return `queue ${this.#deck ?? ''}`
  }

  get #stepsKey(): string {
    return `training.steps ${this.#user} ${this.#name} ${this.today}`
  }

  get #doneKey(): string {
    return `${USER_KEY_PREFIX}done.${this.#user}.${this.#deck ?? ''}`
  }

  /** Returns the first cards. Usually the route has already requested them while the app was loading. */
  async #fetchFirst(): Promise<Cached<Queue>> {
    const query = queries.firstCards(this.#deck)
    try {
      return await queryClient.fetchQuery(query)
    } finally {
      queryClient.removeQueries({ queryKey: query.queryKey, exact: true })
    }
  }

  async #fetch(limit: number): Promise<Cached<Queue>> {
    const at = Date.now()
    return { content: await api.get('/api/review/queue', { query: { deck: this.#deck, limit } }), at }
  }

  async #startFrom({ content, at }: Cached<Queue>, isCached: boolean): Promise<void> {
    const ratings = await this.#syncQueue.ratedSince(at)
    this.today = content.today
    this.isTyping = content.type_answers ?? false
    this.keptAt = isCached ? at : undefined
    const session = sessions.beginSession(content, ratings, performance.now())
    const done = readStored<DoneToday>(this.#doneKey)
    this.session = sessions.withSteps(session, readSteps(this.#stepsKey), done?.day === this.today ? done.done : [])
  }

  async #loadQueue(limit: number): Promise<void> {
    if (this.session === undefined) return
    if (this.#isLoading) {
      this.#isReloadNeeded = true
      return
    }
    this.#isLoading = true
    try {
      const atRequest = { changes: this.session.changes, unconfirmed: await this.#syncQueue.unconfirmed() }
      const { content, at } = await this.#fetch(limit)
      this.session = sessions.mergePage(this.session, content, atRequest, performance.now())
      this.today = content.today
      this.keptAt = undefined
      if (limit === ALL) await cacheContent(this.#user, this.#name, content, at)
    } catch {
      // The session continues with its present cards; a later rating sends the request again if cards or dates are
      // needed.
    } finally {
      this.#isLoading = false
    }
    if (!this.#isReloadNeeded) return
    this.#isReloadNeeded = false
    await this.#refill()
  }

  async #refill(): Promise<void> {
    if (this.session === undefined) return
    if (this.keptAt !== undefined) return this.#loadQueue(ALL)
    if (sessions.needsPage(this.session) || (await this.#needsDates(this.session))) await this.#loadQueue(MORE)
  }

  /**
   * Returns whether dates of cards must be loaded. Reads the outbox only if dates are missing, because this check runs
   * after each rating and each sent batch.
   */
  async #needsDates(session: Session): Promise<boolean> {
    if (sessions.undatedCards(session).length === 0) return false
    return sessions.needsDates(session, await this.#syncQueue.unconfirmed())
  }

  /** Applies a change to the session. Returns whether the session is different afterwards. */
  #set(change: (session: Session, now: number) => Session): boolean {
    if (this.session === undefined) return false
    const next = change(this.session, performance.now())
    if (next === this.session) return false
    if (next.steps !== this.session.steps) {
      writeSteps(this.#stepsKey, next.steps)
      writeStored(this.#doneKey, { day: this.today, done: sessions.doneOf(next) } satisfies DoneToday)
    }
    this.session = next
    return true
  }

  async #tell(request: () => Promise<unknown>): Promise<boolean> {
    try {
      await request()
      return true
    } catch (error) {
      showToast(sentenceOf(error), { tone: 'bad' })
      return false
    }
  }

  #onEvent(event: SyncEvent): void {
    if (event.kind === 'undo refused') this.#refuseUndo(event.card_id, event.message)
    // The service can return the dates of a card only after it has confirmed the rating.
    if (event.kind === 'changed' && this.keptAt === undefined) void this.#refill()
    // Removes a card that was rated in another tab. After „Nochmal“ the card stays, because it is due again today.
    if (event.kind === 'rated' && event.rating !== 'again') {
      this.#set((session, now) => sessions.dropCards(session, [event.card_id], now))
    }
  }

  #refuseUndo(card_id: number, message: string): void {
    showToast(`Die Bewertung bleibt bestehen. ${message}`, { tone: 'bad' })
    this.#set((session, now) => sessions.undoRefused(session, card_id, now))
  }

  #remind(): void {
    if (this.session === undefined) return
    if (!isHardOverused(this.session, readStored<number>(REMINDED), Date.now())) return
    writeStored(REMINDED, Date.now())
    this.isReminded = true
  }
}

function originOf({ deck, progress }: StudyCard): Origin {
  return { deck: deck.slug, isNew: progress === null }
}

/** Reads the steps from session storage, which survives a reload and is not shared with other tabs. */
function readSteps(key: string): Step[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '[]') as Step[]
  } catch {
    return []
  }
}

function writeSteps(key: string, steps: readonly Step[]): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(steps.slice(-KEPT_STEPS)))
  } catch {
    // Session storage is full or blocked, so the user cannot undo these steps after a reload.
  }
}
