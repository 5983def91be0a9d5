export { default as Quiz } from './quiz/quiz.svelte'

/** Loads the pages of tests, which are a part of their own. */
export const loadTests = () => import('./tests/tests.svelte')
