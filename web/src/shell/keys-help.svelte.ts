import type { Component } from 'svelte'
import { listenForKeys } from '../platform/keys.js'
import { go } from '../platform/router.svelte.js'

type KeysDialog = Component<{ onclose: () => void }>

let dialog = $state.raw<KeysDialog | undefined>()

async function open(): Promise<void> {
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
