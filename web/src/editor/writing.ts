import type { DraftStore } from '../storage/draft.js'

/** Text stored by the service; version 0 means that the item does not exist yet */
export interface Stored<F> {
  version: number
  fields: F
}

export interface View<F> {
  fields: F
  /** Stored text on which the edit is based */
  base: Stored<F>
  state: 'same' | 'typed' | 'saving' | 'saved' | 'failed' | 'conflict'
  /** Time of the service's confirmation, in ms since the epoch */
  savedAt?: number | undefined
  error?: unknown
  /** Newer text of the service, during a conflict and after `editBoth` */
  theirs?: Stored<F> | undefined
  /** Whether the typed text is stored on this device; undefined until an attempt to store it has ended */
  isKept?: boolean | undefined
  /** Time at which a restored draft was typed, in ms since the epoch; undefined if no restored draft is open */
  restoredAt?: number | undefined
}

export interface WritingParts<F> {
  user: number
  stored: Stored<F>
  drafts: DraftStore
  newId(): string
  /** Creates the item (version 0) or saves it. @throws if the service does not confirm it */
  save(fields: F, version: number, clientId: string): Promise<Stored<F>>
  load(): Promise<Stored<F>>
  isConflict(error: unknown): boolean
  onchange?(view: View<F>): void
  keepAfterMs?: number
}

const KEEP_AFTER_MS = 500
/** Maximum milliseconds until a draft is stored while the author types without a pause */
const KEEP_AT_LEAST_MS = 3_000

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/**
 * Text that is being edited. It is stored on this device while the user types, and saved with the number of the version
 * on which it is based. A failed save loses no text.
 */
export class Writing<F extends object> {
  view: View<F>
  readonly #parts: WritingParts<F>
  #clientId: string
  #item = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  #firstUnkept: number | undefined
  #saving: Promise<boolean> | undefined
  /** Fields of the saves that failed since the last one that succeeded; the service may have stored them */
  #unconfirmed: F[] = []

  constructor(parts: WritingParts<F>) {
    this.#parts = parts
    this.#clientId = parts.newId()
    this.view = { fields: parts.stored.fields, base: parts.stored, state: 'same' }
  }

  get isDirty(): boolean {
    return !same(this.view.fields, this.view.base.fields)
  }

  /**
   * Restores the draft that this device has stored, if any. Must be called before the text is shown.
   * @param item name under which this device stores the text
   */
  async open(item: string): Promise<void> {
    this.#item = item
    const { user, drafts, stored } = this.#parts
    const draft = await drafts.find(user, item).catch(() => undefined)
    if (draft === undefined) return
    const fields = { ...stored.fields, ...(draft.fields as Partial<F>) }
    if (same(fields, stored.fields)) return this.#forget()
    this.#clientId = draft.clientId ?? this.#clientId
    const found = { fields, isKept: true, restoredAt: draft.at }
    // A new item (version 0) may already exist, if only the response to its creation was lost. A new request with
    // the same `clientId` does not create a second item.
    if (draft.version === stored.version || stored.version === 0) this.#set({ ...found, state: 'typed' })
    else {
      const base = { version: draft.version, fields: stored.fields }
      this.#set({ ...found, state: 'conflict', theirs: stored, base })
    }
  }

  type(changed: Partial<F>): void {
    const fields = { ...this.view.fields, ...changed }
    if (same(fields, this.view.fields)) return
    const isDecided = this.view.state !== 'conflict' && this.#saving === undefined
    const typed = same(fields, this.view.base.fields) ? 'same' : 'typed'
    this.#set({ fields, state: isDecided ? typed : this.view.state, error: undefined, isKept: undefined }, true)
  }

  async keepNow(): Promise<void> {
    clearTimeout(this.#timer)
    this.#firstUnkept = undefined
    const { user, drafts } = this.#parts
    const { fields, base } = this.view
    if (!this.isDirty) return this.#forget()
    const draft = { user, item: this.#item, version: base.version, at: Date.now(), fields, clientId: this.#clientId }
    const isKept = await drafts.put(draft).then(
      () => true,
      () => false,
    )
    if (this.view.fields === fields && this.isDirty) this.#set({ isKept })
  }

  /** Saves the text. Returns whether the service has confirmed it; false at once during a conflict. */
  save(): Promise<boolean> {
    if (this.view.state === 'conflict') return Promise.resolve(false)
    this.#saving ??= this.#send().finally(() => {
      this.#saving = undefined
    })
    return this.#saving
  }

  takeMine(): Promise<boolean> {
    this.editBoth()
    return this.save()
  }

  takeTheirs(): void {
    const { theirs } = this.view
    if (theirs === undefined) return
    this.#set({ fields: theirs.fields, base: theirs, state: 'same', ...NOTHING })
    void this.#forget()
  }

  /** Keeps the user's text and shows the newer text beside it. The next save replaces the newer text. */
  editBoth(): void {
    const { theirs } = this.view
    if (theirs === undefined) return
    this.#set({ base: theirs, state: same(this.view.fields, theirs.fields) ? 'same' : 'typed', restoredAt: undefined })
    void this.#forget().then(() => this.keepNow())
  }

  discard(): void {
    // Another tab may still create an item of the discarded draft.
    this.#clientId = this.#parts.newId()
    this.#set({ fields: this.view.base.fields, state: 'same', ...NOTHING })
    void this.#forget()
  }

  close(): void {
    if (this.isDirty) void this.keepNow()
    clearTimeout(this.#timer)
  }

  async #send(): Promise<boolean> {
    const { fields: sent, base } = this.view
    void this.keepNow()
    this.#set({ state: 'saving', error: undefined })
    try {
      this.#accept(await this.#parts.save(sent, base.version, this.#clientId), sent)
      return true
    } catch (error) {
      if (base.version > 0 && this.#parts.isConflict(error)) return this.#loadNewer(sent)
      this.#unconfirmed.push(sent)
      this.#set({ state: 'failed', error })
      return false
    }
  }

  #accept(stored: Stored<F>, sent: F): void {
    this.#unconfirmed = []
    const isSame = same(this.view.fields, sent)
    const fields = isSame ? stored.fields : this.view.fields
    this.#set({ ...NOTHING, base: stored, fields, state: isSame ? 'saved' : 'typed', savedAt: Date.now() })
    // Replaces the draft of the old version with text that was typed during the save, if any.
    void this.#forget().then(() => (this.isDirty ? this.keepNow() : undefined))
  }

  /** Loads the newer text after a conflict. Returns true if the newer text is the user's, so that the sent one is stored. */
  async #loadNewer(sent: F): Promise<boolean> {
    try {
      const theirs = await this.#parts.load()
      // Equal texts mean that an earlier request succeeded, and only its response was lost.
      if (same(theirs.fields, sent)) {
        this.#accept(theirs, sent)
        return true
      }
      if (this.#unconfirmed.some((fields) => same(theirs.fields, fields))) {
        this.#unconfirmed = []
        this.#set({ base: theirs })
        return await this.#send()
      }
      this.#set({ state: 'conflict', theirs })
      return false
    } catch (error) {
      this.#set({ state: 'failed', error })
      return false
    }
  }

  async #forget(): Promise<void> {
    clearTimeout(this.#timer)
    this.#firstUnkept = undefined
    await this.#parts.drafts.remove(this.#parts.user, this.#item).catch(() => undefined)
  }

  #set(changed: Partial<View<F>>, isTyped = false): void {
    this.view = { ...this.view, ...changed }
    if (isTyped) this.#keepSoon()
    this.#parts.onchange?.(this.view)
  }

  #keepSoon(): void {
    clearTimeout(this.#timer)
    this.#firstUnkept ??= Date.now()
    const { keepAfterMs = KEEP_AFTER_MS } = this.#parts
    const remainingMs = Math.max(0, this.#firstUnkept + KEEP_AT_LEAST_MS - Date.now())
    this.#timer = setTimeout(() => void this.keepNow(), Math.min(keepAfterMs, remainingMs))
  }
}

const NOTHING = { error: undefined, theirs: undefined, isKept: undefined, restoredAt: undefined }
