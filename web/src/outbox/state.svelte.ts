import type { PostState } from './post.js'

/** State of the current user's ratings; in a separate module, because the sender is loaded after the page */
export const postState = $state<PostState>({ waiting: 0, volatile: 0, refused: [], obstacle: undefined })
