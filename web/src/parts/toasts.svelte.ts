import { TOAST_MS } from './toast-time.js'

export interface Toast {
  id: number
  text: string
  tone: 'plain' | 'bad'
  action?: { label: string; onclick: () => void }
}

let last = 0

export const toasts = $state<{ current: Toast | undefined }>({ current: undefined })

let timer: ReturnType<typeof setTimeout> | undefined

export function showToast(text: string, options: Partial<Pick<Toast, 'tone' | 'action'>> = {}): void {
  clearTimeout(timer)
  last += 1
  toasts.current = { id: last, text, tone: 'plain', ...options }
  // A message with an action stays longer, so that the user has time to press the button.
  timer = setTimeout(dismiss, options.action === undefined ? TOAST_MS : 2 * TOAST_MS)
}

export function dismiss(): void {
  clearTimeout(timer)
  toasts.current = undefined
}
