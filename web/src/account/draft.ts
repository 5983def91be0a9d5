import { showToast } from '../parts/toasts.svelte.js'
import { DRAFT_KEY } from '../platform/storage.js'

/** Form input that is saved while the user is at the identity provider */
interface SavedDraft {
  userId: number
  leftAt: number
  form?: string
  values?: unknown
}

/** Age in milliseconds above which saved input is discarded */
const KEPT_MS = 10 * 60_000

let held: { form: string; read: () => unknown } | undefined
let found: (SavedDraft & { isProven: boolean; isRefused: boolean }) | undefined

/**
 * Registers a form whose input is saved before the user leaves for the identity provider. The returned function
 * unregisters the form. The input must contain no secret.
 */
export function holdDraft(form: string, read: () => unknown): () => void {
  const own = { form, read }
  held = own
  return () => {
    if (held === own) held = undefined
  }
}

export function keepDraft(userId: number): void {
  const saved: SavedDraft = { userId, leftAt: Date.now(), ...(held && { form: held.form, values: held.read() }) }
  try {
    sessionStorage.setItem(DRAFT_KEY, JSON.stringify(saved))
  } catch {
    // Session storage is blocked or full: the input is lost and must be typed again.
  }
}

/**
 * Reads and removes the input saved by `keepDraft`. If no form was registered, only shows a message if the user has
 * proven their identity.
 */
export function findDraft(userId: number, isProven: boolean): void {
  try {
    const saved = JSON.parse(sessionStorage.getItem(DRAFT_KEY) ?? 'null') as SavedDraft | null
    sessionStorage.removeItem(DRAFT_KEY)
    if (saved?.userId !== userId || Date.now() - saved.leftAt > KEPT_MS) return
    // If the sign-in failed (`?fehler=…`), the dialog of the form stays closed, because `app.svelte` shows the reason.
    const isRefused = new URLSearchParams(location.search).has('fehler')
    if (saved.form !== undefined) found = { ...saved, isProven, isRefused }
    else if (isProven && !isRefused)
      showToast('Danke, du bist bestätigt. Mach bitte noch einmal, was du gerade vorhattest.')
  } catch {
    // Storage is blocked or its content is invalid: there is nothing to restore.
  }
}

/** Returns whether the dialog of a form is to be reopened with its saved input. */
export function hasDraft(form: string): boolean {
  return found?.form === form && !found.isRefused
}

/**
 * Returns the saved input of a form and forgets it; undefined if there is none. `isOpen`: whether to reopen the dialog
 * of the form; `isProven`: whether the user has proven their identity, so that the form can be submitted at once.
 */
export function takeDraft<Values>(form: string): { values: Values; isOpen: boolean; isProven: boolean } | undefined {
  if (found?.form !== form) return undefined
  const { values, isProven, isRefused } = found
  found = undefined
  return { values: values as Values, isOpen: !isRefused, isProven: isProven && !isRefused }
}
