import type { Component } from 'svelte'
import { go } from '../platform/router.svelte.js'
import { collectKeys } from './collect-keys.js'

type SearchDialog = Component<{ onclose: () => void; typed?: string }>

let dialog = $state.raw<SearchDialog | undefined>()
let typed = ''
let isLoading = false

export const search = {
  get dialog() {
    return dialog
  },
  /** Text typed while the dialog was loading */
  get typed() {
    return typed
  },
  async open(): Promise<void> {
    if (isLoading) return
    isLoading = true
    const keys = collectKeys()
    const module = await import('./dialogs.js').catch(() => undefined)
    const text = keys.stop()
    isLoading = false
    if (text === undefined) return
    typed = text
    if (module === undefined) void go(`suche${text === '' ? '' : `?q=${encodeURIComponent(text)}`}`)
    else dialog = module.SearchDialog
  },
  close(): void {
    dialog = undefined
  },
}
