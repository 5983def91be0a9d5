/** The pages of the administration, in one chunk */
export { default as Benutzer } from './verwaltung/benutzer/benutzer.svelte'
export { default as Import } from './verwaltung/benutzer/import.svelte'
export { default as KontoVon } from './verwaltung/benutzer/konto-von.svelte'
export { default as Protokoll } from './verwaltung/protokoll/protokoll.svelte'
export { default as Uebersicht } from './verwaltung/uebersicht.svelte'

/** The outbox of mails, a chunk of its own */
export const loadMails = () => import('./verwaltung/mails/mails.svelte')

/** The page of auditors, a chunk of its own */
export const loadProofs = () => import('./verwaltung/nachweise/nachweise.svelte')
