/** Exports the components that a study session shows beside and after its cards, so that they share one chunk. */
export { default as CardInfo } from './card-info.svelte'
export { default as CardNote } from './card-note.svelte'
export { default as CardReport } from './card-report.svelte'
export { default as End } from './end.svelte'
export { default as OwnNote } from './own-note.svelte'
export { default as Stubborn } from './stubborn.svelte'
export { default as TypedAnswer } from './typed-answer.svelte'
