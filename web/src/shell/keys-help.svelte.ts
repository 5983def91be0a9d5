import type { Component } from 'svelte'
import { listenForKeys } from '../platform/keys.js'
import { go } from '../platform/router.svelte.js'

type KeysDialog = Component<{ onclose: () => void }>

/** The dialog with the list of keys while it is open; its chunk is loaded on first use */
let dialog = $state.raw<KeysDialog | undefined>()

async function open(): Promise<void> {
  // If the chunk cannot be loaded, opens the help page instead.
  const module = await import('./dialogs.js').catch(() => undefined)
  if (module === undefined) void go('hilfe')
  else dialog = module.KeysDialog
}

export const keysHelp = {
  get dialog() {
    return dialog
  },
  close(): void {
    dialog = undefined
  },
  /** Opens the dialog with `?` on every page, including a session, until the returned function is called. */
  listen: () => listenForKeys({ '?': () => void open() }),
}
