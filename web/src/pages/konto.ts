/** The pages of a learner's own settings, in one chunk */
export { default as Einstellungen } from './einstellungen/einstellungen.svelte'
export { default as Hilfe } from './hilfe/hilfe.svelte'
export { default as Konto } from './konto/konto.svelte'
export { default as Meldungen } from './konto/meldungen.svelte'
