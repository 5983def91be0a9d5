export { startPost } from '../outbox/start-post.js'
export { default as WaitingBadge } from './waiting-badge.svelte'
export { default as WaitingDialog } from './waiting-dialog.svelte'
