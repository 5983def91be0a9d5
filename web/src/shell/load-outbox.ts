import { whenIdle } from '../platform/idle.js'

type OutboxParts = typeof import('./outbox-parts.js')

/** Milliseconds between the display of the first page and the loading of the outbox */
const WAIT_MS = 300

let loading: Promise<OutboxParts> | undefined

/**
 * Loads the outbox and its components once, after the first page is shown and the browser is idle. After a failure, the
 * next call retries.
 */
export function loadOutbox(): Promise<OutboxParts> {
  loading ??= whenIdle(WAIT_MS)
    .then(() => import('./outbox-parts.js'))
    .catch((error) => {
      loading = undefined
      throw error
    })
  return loading
}
