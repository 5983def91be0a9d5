import { api } from '../../api/client.js'
import { Fault, sentenceOf } from '../../api/faults.js'
import { isLate } from '../../api/patience.js'
import { queries } from '../../api/queries.js'
import { queryClient } from '../../api/query-client.js'
import type { Queue } from '../../api/types.js'
import type { PostEvent } from '../../outbox/post.js'
import { startPost } from '../../outbox/start-post.js'
import { dismiss, say } from '../../parts/toasts.svelte.js'
import { whenIdle } from '../../platform/idle.js'
import { OWN, readStored, writeStored } from '../../platform/storage.js'
import { isHardOverused } from '../../session/hard-reminder.js'
import type { Session, Step } from '../../session/session.js'
import * as sessions from '../../session/session.js'
import { newId } from '../../storage/id.js'
import { findKept, type Kept, keep } from '../../storage/kept.js'
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

/** A study session with its cards, its ratings in the outbox and its stored state. */
export class Study {
  session = $state.raw<Session>()
  today = $state('')
  /** Time of the cached queue that is shown, in ms since the epoch; otherwise undefined */
  keptAt = $state<number>()
  fault = $state.raw<unknown>()
  isReminded = $state(false)
  /** Whether answers are typed: initially as in the settings, then as chosen in this session */
  isTyping = $state(false)
  readonly #post = startPost()
  readonly #user: number
  readonly #deck: string | undefined
  readonly #stops: (() => void)[] = []
  #isAsking = false
  /** Whether cards or dates were needed while a request was under way, whose response may lack them */
  #isAskedAgain = false
  #isStoring = false

  constructor(user: number, deck: string | undefined) {
    this.#user = user
    this.#deck = deck
    this.#post.open(user)
    this.#stops.push(this.#post.listen((event) => this.#onEvent(event)))
  }

  async start(): Promise<void> {
    this.fault = undefined
    const kept = await findKept<Queue>(this.#user, this.#name)
    const asked = this.#fetchFirst()
    try {
      const page = kept !== undefined && (await isLate(asked)) ? undefined : await asked
      if (page === undefined) await this.#startFrom(kept as Kept<Queue>, true)
      else await this.#startFrom(page, false)
      // The content of the late response is not used. Its arrival shows that the service is reachable, so the whole
      // queue is loaded afterwards.
      if (page === undefined) await asked
    } catch (error) {
      if (kept === undefined || !(error instanceof Fault && error.isPassing)) this.fault = error
      else if (this.session === undefined) await this.#startFrom(kept, true)
      return
    }
    // The rest of the queue is loaded later, so that it does not delay the first card.
    await whenIdle(REST_AFTER_MS)
    await this.#ask(ALL)
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  reveal(): void {
    this.#set((session, now) => sessions.reveal(session, now))
  }

  /**
   * Stores the rating in the outbox, then shows the next card. Does not wait for the network. Does nothing unless the
   * answer is shown.
   */
  async rate(rating: Rating): Promise<void> {
    if (this.session === undefined || this.#isStoring) return
    const name = newId()
    const step = sessions.lastStep(sessions.rate(this.session, rating, name, performance.now()))
    if (step?.kind !== 'rated' || step.id !== name) return
    const { card_id } = step.waiting.card
    this.#isStoring = true
    try {
      await this.#post.rate(name, card_id, rating, step.duration_ms)
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
      if ((await this.#post.takeBack(step.id)) === 'unknown')
        this.#refuseUndo(card_id, 'Das ließ sich nicht mehr zurücknehmen.')
      return
    }
    dismiss()
    const path = { id: String(card_id) }
    if (await this.#tell(() => api.delete('/api/review/cards/{id}/suspend', { path }))) say('Zurückgenommen')
  }

  /** Postpones the card until tomorrow in the outbox, then shows the next one. */
  async putOff(): Promise<void> {
    const card = this.session && sessions.currentCard(this.session)
    if (this.session === undefined || card === undefined || this.#isStoring) return
    const name = newId()
    if (sessions.putOff(this.session, name, performance.now()) === this.session) return
    this.#isStoring = true
    try {
      await this.#post.rate(name, card.card_id, 'tomorrow')
    } finally {
      this.#isStoring = false
    }
    if (sessions.currentCard(this.session)?.card_id !== card.card_id) return
    this.#set((session, now) => sessions.putOff(session, name, now))
    say('Kommt morgen wieder.')
    await this.#refill()
  }

  /** Updates the card after its note was stored. */
  noteChanged(card_id: number, note: string | null): void {
    this.#set((session) => sessions.changeCard(session, card_id, { note }))
  }

  /** Suspends the card. This needs the network, because the outbox stores only ratings and postponements. */
  async suspend(): Promise<void> {
    const card = this.session && sessions.currentCard(this.session)
    if (card === undefined) return
    const id = card.card_id
    const isDone = await this.#tell(() => api.post('/api/review/cards/{id}/suspend', { path: { id: String(id) } }))
    if (!isDone || this.session === undefined || sessions.currentCard(this.session)?.card_id !== id) return
    this.#set((session, now) => sessions.suspend(session, now))
    say('Ausgesetzt, bis du sie zurückholst.')
  }

  /** Adds the cards that the learner requested at the end of a session. */
  async loadMore(): Promise<void> {
    await this.#ask(ALL)
  }

  get #name(): string {
    return `queue ${this.#deck ?? ''}`
  }

  get #stepsKey(): string {
    return `training.steps ${this.#user} ${this.#name} ${this.today}`
  }

  get #doneKey(): string {
    return `${OWN}done.${this.#user}.${this.#deck ?? ''}`
  }

  /** Returns the first cards. Usually the route has already requested them while the app was loading. */
  async #fetchFirst(): Promise<Kept<Queue>> {
    const query = queries.firstCards(this.#deck)
    try {
      return await queryClient.fetchQuery(query)
    } finally {
      queryClient.removeQueries({ queryKey: query.queryKey, exact: true })
    }
  }

  async #fetch(limit: number): Promise<Kept<Queue>> {
    const at = Date.now()
    return { content: await api.get('/api/review/queue', { query: { deck: this.#deck, limit } }), at }
  }

  async #startFrom({ content, at }: Kept<Queue>, isKept: boolean): Promise<void> {
    const ratings = await this.#post.ratedSince(at)
    this.today = content.today
    this.isTyping = content.type_answers ?? false
    this.keptAt = isKept ? at : undefined
    const session = sessions.beginSession(content, ratings, performance.now())
    const done = readStored<DoneToday>(this.#doneKey)
    this.session = sessions.withSteps(session, readSteps(this.#stepsKey), done?.day === this.today ? done.done : [])
  }

  /** Merges the current queue of the service into the session. */
  async #ask(limit: number): Promise<void> {
    if (this.session === undefined) return
    if (this.#isAsking) {
      this.#isAskedAgain = true
      return
    }
    this.#isAsking = true
    try {
      const asked = { changes: this.session.changes, unconfirmed: await this.#post.unconfirmed() }
      const { content, at } = await this.#fetch(limit)
      this.session = sessions.mergePage(this.session, content, asked, performance.now())
      this.today = content.today
      this.keptAt = undefined
      if (limit === ALL) await keep(this.#user, this.#name, content, at)
    } catch {
      // The session continues with its present cards; a later rating sends the request again if cards or dates are
      // needed.
    } finally {
      this.#isAsking = false
    }
    if (!this.#isAskedAgain) return
    this.#isAskedAgain = false
    await this.#refill()
  }

  async #refill(): Promise<void> {
    if (this.session === undefined) return
    if (this.keptAt !== undefined) return this.#ask(ALL)
    if (sessions.needsPage(this.session) || (await this.#needsDates(this.session))) await this.#ask(MORE)
  }

  /** Reads the outbox only if dates are missing, because this runs after each rating and each sent batch. */
  async #needsDates(session: Session): Promise<boolean> {
    if (sessions.undatedCards(session).length === 0) return false
    return sessions.needsDates(session, await this.#post.unconfirmed())
  }

  /** Applies a change to the session and stores its steps. Returns whether anything has changed. */
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
      say(sentenceOf(error), { tone: 'bad' })
      return false
    }
  }

  #onEvent(event: PostEvent): void {
    if (event.kind === 'undo refused') this.#refuseUndo(event.card_id, event.message)
    // The service can return the dates of a card only after it has confirmed the rating.
    if (event.kind === 'changed' && this.keptAt === undefined) void this.#refill()
    // A card that was rated in another page is removed from the session. After „Nochmal“ the card stays, because it
    // returns today.
    if (event.kind === 'rated' && event.rating !== 'again') {
      this.#set((session, now) => sessions.dropCards(session, [event.card_id], now))
    }
  }

  #refuseUndo(card_id: number, message: string): void {
    say(`Die Bewertung bleibt bestehen. ${message}`, { tone: 'bad' })
    this.#set((session, now) => sessions.undoRefused(session, card_id, now))
  }

  #remind(): void {
    if (this.session === undefined) return
    if (!isHardOverused(this.session, readStored<number>(REMINDED), Date.now())) return
    writeStored(REMINDED, Date.now())
    this.isReminded = true
  }
}

/**
 * Reads the steps from session storage, which survives a reload and which other tabs do not share. Returns an empty
 * list if there are none.
 */
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
    // Session storage is full or blocked, so a reload loses the steps and they cannot be undone.
  }
}
