import type { SyncState } from './sync-queue.js'

/** State of the outbox. It is in a separate module, because the rest of the outbox is loaded after the page. */
export const syncState = $state<SyncState>({ waiting: 0, volatile: 0, refused: [], obstacle: undefined })
