import { whenIdle } from '../platform/idle.js'

type OutboxParts = typeof import('./outbox-parts.js')

/** Milliseconds after the first page */
const WAIT_MS = 300

let loading: Promise<OutboxParts> | undefined

/** Loads the outbox and its components once, after the first page is shown. */
export function loadOutbox(): Promise<OutboxParts> {
  loading ??= whenIdle(WAIT_MS)
    .then(() => import('./outbox-parts.js'))
    .catch((error) => {
      loading = undefined
      throw error
    })
  return loading
}
