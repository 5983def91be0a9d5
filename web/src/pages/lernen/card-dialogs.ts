export { default as CardInfo } from './card-info.svelte'
export { default as CardNote } from './card-note.svelte'
export { default as CardReport } from './card-report.svelte'
export { default as Stubborn } from './stubborn.svelte'
