import type { Component } from 'svelte'
import { go } from '../platform/router.svelte.js'

/** The dialog while it is open; its part of the program comes when it is asked for first. */
let dialog = $state.raw<Component<{ onclose: () => void }> | undefined>()

export const search = {
  get dialog() {
    return dialog
  },
  async open(): Promise<void> {
    // Without the network the page of the search says what is missing.
    const module = await import('../search/search-dialog.svelte').catch(() => undefined)
    if (module === undefined) void go('suche')
    else dialog = module.default
  },
  close(): void {
    dialog = undefined
  },
}
