export { default as TestStatistics } from './test-statistics.svelte'
export { default as Tests } from './tests.svelte'
