export interface Toast {
  id: number
  text: string
  tone: 'plain' | 'bad'
  action?: { label: string; onclick: () => void }
}

const SHOWN_MS = 6_000
let last = 0

/** What has just happened, at the edge of the page; the newest one only. */
export const toasts = $state<{ current: Toast | undefined }>({ current: undefined })

let timer: ReturnType<typeof setTimeout> | undefined

/** Says in one line what has happened, with one way to take it back or go on. */
export function say(text: string, options: Partial<Pick<Toast, 'tone' | 'action'>> = {}): void {
  clearTimeout(timer)
  last += 1
  toasts.current = { id: last, text, tone: 'plain', ...options }
  // Whoever can act on it gets longer.
  timer = setTimeout(dismiss, options.action === undefined ? SHOWN_MS : 2 * SHOWN_MS)
}

export function dismiss(): void {
  clearTimeout(timer)
  toasts.current = undefined
}
