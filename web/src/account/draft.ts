import { say } from '../parts/toasts.svelte.js'
import { LEFT } from '../platform/storage.js'

/** What was typed where the provider asked who it is: the page is left for that, and opened anew. */
interface Left {
  userId: number
  leftAt: number
  form?: string
  values?: unknown
}

/** Who comes back later has done something else in between. */
const KEPT_MS = 10 * 60_000

let held: { form: string; read: () => unknown } | undefined
let found: (Left & { isProven: boolean; isRefused: boolean }) | undefined

/** Names what is being typed, until the function that comes back is called. Nothing of it may be a secret. */
export function holdDraft(form: string, read: () => unknown): () => void {
  const own = { form, read }
  held = own
  return () => {
    if (held === own) held = undefined
  }
}

/** The page is about to be left for the provider, and this tab comes back. */
export function keepDraft(userId: number): void {
  const left: Left = { userId, leftAt: Date.now(), ...(held && { form: held.form, values: held.read() }) }
  try {
    sessionStorage.setItem(LEFT, JSON.stringify(left))
  } catch {
    // Then it is typed once more.
  }
}

/** The page begins: whether somebody comes back from the provider, and to what. */
export function findDraft(userId: number, isProven: boolean): void {
  try {
    const left = JSON.parse(sessionStorage.getItem(LEFT) ?? 'null') as Left | null
    sessionStorage.removeItem(LEFT)
    if (left?.userId !== userId || Date.now() - left.leftAt > KEPT_MS) return
    // Why the provider has confirmed nothing is said by the page.
    const isRefused = new URLSearchParams(location.search).has('fehler')
    if (left.form !== undefined) found = { ...left, isProven, isRefused }
    else if (isProven && !isRefused) say('Danke, du bist bestätigt. Mach bitte noch einmal, was du gerade vorhattest.')
  } catch {
    // What cannot be read holds nothing of ours.
  }
}

/**
 * What was typed in the form before the page was left, once: `isOpen` when its dialog goes on where it was, `isProven`
 * when it goes on without another question.
 */
export function takeDraft<Values>(form: string): { values: Values; isOpen: boolean; isProven: boolean } | undefined {
  if (found?.form !== form) return undefined
  const { values, isProven, isRefused } = found
  found = undefined
  return { values: values as Values, isOpen: !isRefused, isProven: isProven && !isRefused }
}
