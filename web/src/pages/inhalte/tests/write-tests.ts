export { default as EditTest } from './edit-test.svelte'
export { default as NewTest } from './new-test.svelte'
