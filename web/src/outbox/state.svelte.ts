import type { PostState } from './post.js'

/** State of the current user's ratings; separate from the sender, which loads after the page */
export const postState = $state<PostState>({ waiting: 0, volatile: 0, refused: [], obstacle: undefined })
