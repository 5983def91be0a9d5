/** Pages that need no login, in one chunk */
export { default as Mail } from './mail/mail.svelte'
export { default as Nachweis } from './nachweis/nachweis.svelte'
