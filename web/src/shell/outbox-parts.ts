export { startSyncQueue } from '../outbox/start-sync-queue.js'
export { default as WaitingBadge } from './waiting-badge.svelte'
export { default as WaitingDialog } from './waiting-dialog.svelte'
