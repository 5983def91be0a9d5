import { say } from '../parts/toasts.svelte.js'
import { LEFT } from '../platform/storage.js'

/** Form input that is saved while the user is at the identity provider */
interface Left {
  userId: number
  leftAt: number
  form?: string
  values?: unknown
}

/** Age in milliseconds above which saved input is discarded */
const KEPT_MS = 10 * 60_000

let held: { form: string; read: () => unknown } | undefined
let found: (Left & { isProven: boolean; isRefused: boolean }) | undefined

/** Registers the input of a form for saving until the returned function is called. The input must contain no secret. */
export function holdDraft(form: string, read: () => unknown): () => void {
  const own = { form, read }
  held = own
  return () => {
    if (held === own) held = undefined
  }
}

/** Saves the registered input before leaving for the provider. */
export function keepDraft(userId: number): void {
  const left: Left = { userId, leftAt: Date.now(), ...(held && { form: held.form, values: held.read() }) }
  try {
    sessionStorage.setItem(LEFT, JSON.stringify(left))
  } catch {
    // Session storage is blocked or full: the input is lost and must be typed again.
  }
}

/** Loads saved input at the start of the page, if the user has returned from the provider. */
export function findDraft(userId: number, isProven: boolean): void {
  try {
    const left = JSON.parse(sessionStorage.getItem(LEFT) ?? 'null') as Left | null
    sessionStorage.removeItem(LEFT)
    if (left?.userId !== userId || Date.now() - left.leftAt > KEPT_MS) return
    // If the sign-in failed (`?fehler=…`), the dialog of the form stays closed, because `app.svelte` shows the reason.
    const isRefused = new URLSearchParams(location.search).has('fehler')
    if (left.form !== undefined) found = { ...left, isProven, isRefused }
    else if (isProven && !isRefused) say('Danke, du bist bestätigt. Mach bitte noch einmal, was du gerade vorhattest.')
  } catch {
    // Storage is blocked or its content invalid: there is nothing to restore.
  }
}

/**
 * Returns the saved input of a form once; undefined if there is none. `isOpen`: whether to reopen the dialog of the
 * form; `isProven`: whether the user has proven their identity, so that the form can be submitted at once.
 */
export function takeDraft<Values>(form: string): { values: Values; isOpen: boolean; isProven: boolean } | undefined {
  if (found?.form !== form) return undefined
  const { values, isProven, isRefused } = found
  found = undefined
  return { values: values as Values, isOpen: !isRefused, isProven: isProven && !isRefused }
}
