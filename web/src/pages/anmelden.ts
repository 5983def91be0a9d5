/** The pages and the dialog that ask for a password, in one chunk */
export { default as LoginDialog } from '../account/login-dialog.svelte'
export { default as Anmelden, showSignInFault } from './anmelden.svelte'
export { default as NeuesPasswort } from './neues-passwort.svelte'
