/** What most visits do not show. */
export { default as KeptMark } from '../../parts/kept-mark.svelte'
export { default as NoContent } from '../../parts/no-content.svelte'
export { default as AllDone } from './all-done.svelte'
export { default as FirstVisit } from './first-visit.svelte'
