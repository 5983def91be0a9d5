/** Parts that „Heute“ shows if there are no decks, no ratings yet, or no remaining cards; in one chunk */
export { default as NoContent } from '../../parts/no-content.svelte'
export { default as AllDone } from './all-done.svelte'
export { default as FirstVisit } from './first-visit.svelte'
