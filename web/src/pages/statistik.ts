/** The pages of a learner's progress, in one chunk */
export { default as Statistik } from './statistik/statistik.svelte'
export { default as Verlauf } from './verlauf/verlauf.svelte'
