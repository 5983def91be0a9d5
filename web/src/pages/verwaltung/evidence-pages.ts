export { default as Datenschutz } from './datenschutz.svelte'
export { default as Ablauf } from './nachweise/ablauf.svelte'
export { default as Nachweise } from './nachweise/nachweise.svelte'
export { default as Protokoll } from './protokoll/protokoll.svelte'
