/** Dialogs that can open on every page, bundled in one chunk */
export { default as SearchDialog } from '../search/search-dialog.svelte'
export { default as KeysDialog } from './keys-dialog.svelte'
