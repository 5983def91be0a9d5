export { default as Quiz } from './quiz/quiz.svelte'

/** Loads the pages of tests, which are a separate chunk. */
export const loadTests = () => import('./tests/tests.svelte')
