import { reportPageShown, whenIdle } from '../platform/idle.js'

type OutboxParts = typeof import('./outbox-parts.js')

/** Milliseconds between the display of the first page and the loading of the outbox */
const WAIT_MS = 300

let loading: Promise<OutboxParts> | undefined

/**
 * Loads the outbox and its components once, after the first page is shown and the browser is idle. After a failure, the
 * next call retries.
 * @param isAwaited whether the page is shown only after that, so that the outbox must not wait for the page
 */
export function loadOutbox(isAwaited = false): Promise<OutboxParts> {
  if (isAwaited) reportPageShown()
  loading ??= whenIdle(WAIT_MS)
    .then(() => import('./outbox-parts.js'))
    .catch((error) => {
      loading = undefined
      throw error
    })
  return loading
}
