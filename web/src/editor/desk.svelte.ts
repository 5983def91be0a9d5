import { hasCode } from '../api/faults.js'
import { drafts } from '../storage/drafts.js'
import { newId } from '../storage/id.js'
import { claimDraft, type DraftClaim } from './claim-draft.js'
import { withoutPlaceholders } from './placeholders.js'
import { type SavingParts, savingOf } from './saving.js'
import { type View, Writing, type WritingParts } from './writing.js'

type Parts<F> = Omit<WritingParts<F>, 'drafts' | 'newId' | 'isConflict' | 'onchange'> & {
  /** Name of the edited object, such as `card 7` or `new card git` */
  item: string
}

/** An editing session: stores drafts on this device, and waits for uploads before it saves the text in the service. */
export class Desk<F extends object> {
  view: View<F> = $state.raw() as View<F>
  /** Whether the search for a stored draft has ended */
  isReady = $state(false)
  /** Whether another tab of this browser edits the same object, with a draft of its own */
  isOpenElsewhere = $state(false)
  readonly writing: Writing<F>
  readonly #parts: Parts<F>
  /** Uploads and conversions of pasted HTML that are still running */
  readonly #pending = new Set<Promise<unknown>>()

  constructor(parts: Parts<F>) {
    this.#parts = parts
    this.writing = new Writing({
      ...parts,
      drafts,
      newId,
      isConflict: (error) => hasCode(error, 'version_outdated'),
      onchange: (view) => (this.view = view),
    })
    this.view = this.writing.view
  }

  /**
   * Restores the draft, stores the text when the page is hidden or closed, and warns before unstored text is lost.
   * Returns a function that removes the listeners and stores the text.
   */
  start = (): (() => void) => {
    const over = new AbortController()
    const { signal } = over
    const claimed = this.#open()
    addEventListener('pagehide', () => this.writing.close(), { signal })
    document.addEventListener('visibilitychange', () => document.hidden && this.writing.close(), { signal })
    // Warns only if this device could not store the text, because closing the page would then lose it.
    const warn = (event: BeforeUnloadEvent) => {
      if (this.writing.isDirty && this.view.isKept === false) event.preventDefault()
    }
    addEventListener('beforeunload', warn, { signal })
    return () => {
      over.abort()
      this.writing.close()
      void claimed.then(({ release }) => release())
    }
  }

  async #open(): Promise<DraftClaim> {
    const { user, item } = this.#parts
    const claim = await claimDraft(await drafts.list(user).catch(() => []), user, item)
    this.isOpenElsewhere = claim.isOpenElsewhere
    await this.writing.open(claim.item)
    for (const [name, value] of Object.entries(this.view.fields)) {
      if (typeof value === 'string') this.writing.type({ [name]: withoutPlaceholders(value) } as Partial<F>)
    }
    this.isReady = true
    return claim
  }

  /** Makes `save` wait for an upload or a conversion. */
  hold(work: Promise<unknown>): void {
    this.#pending.add(work)
    const done = () => this.#pending.delete(work)
    work.then(done, done)
  }

  async save(): Promise<boolean> {
    await Promise.allSettled(this.#pending)
    return this.writing.save()
  }
}

/**
 * Creates the editing session of an object or of a new one.
 */
export function createDesk<T, F extends object, C extends object>(
  parts: { user: number; item: string } & SavingParts<T, F, C>,
): Desk<F> {
  return new Desk<F>({ user: parts.user, item: parts.item, ...savingOf(parts) })
}
