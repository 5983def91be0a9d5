export interface Toast {
  id: number
  text: string
  tone: 'plain' | 'bad'
  action?: { label: string; onclick: () => void }
}

const SHOWN_MS = 6_000
let last = 0

/** The message that is shown at the edge of the page; undefined if there is none */
export const toasts = $state<{ current: Toast | undefined }>({ current: undefined })

let timer: ReturnType<typeof setTimeout> | undefined

/** Shows a message with an optional action; replaces the present message. */
export function say(text: string, options: Partial<Pick<Toast, 'tone' | 'action'>> = {}): void {
  clearTimeout(timer)
  last += 1
  toasts.current = { id: last, text, tone: 'plain', ...options }
  // A message with an action stays longer, so that the user has time to press the button.
  timer = setTimeout(dismiss, options.action === undefined ? SHOWN_MS : 2 * SHOWN_MS)
}

export function dismiss(): void {
  clearTimeout(timer)
  toasts.current = undefined
}
