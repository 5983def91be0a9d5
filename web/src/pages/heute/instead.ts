/** Parts that „Heute“ shows before the first card and after the last one, in one chunk */
export { default as NoContent } from '../../parts/no-content.svelte'
export { default as AllDone } from './all-done.svelte'
export { default as FirstVisit } from './first-visit.svelte'
