export { default as CardInfo } from './card-info.svelte'
export { default as CardReport } from './card-report.svelte'
