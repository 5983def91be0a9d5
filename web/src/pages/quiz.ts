export { default as Quiz } from './quiz/quiz.svelte'

export const loadTests = () => import('./tests/tests.svelte')
