/** The pages of settings, account, help and own reports, in one chunk */
export { default as Einstellungen } from './einstellungen/einstellungen.svelte'
export { default as Hilfe } from './konto/hilfe.svelte'
export { default as Konto } from './konto/konto.svelte'
export { default as Meldungen } from './konto/meldungen.svelte'
