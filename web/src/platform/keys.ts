import { preferences } from './preferences.svelte.js'

/** Actions by `KeyboardEvent.key` */
export type KeyMap = Record<string, (event: KeyboardEvent) => void>

const EDITABLE = 'input, textarea, select, [contenteditable]'

/** Returns whether a key is meant for the page: not for a field, a dialog or the browser, and not repeated. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || event.isComposing) return false
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  if (event.target instanceof Element && event.target.closest(EDITABLE) !== null) return false
  return document.querySelector('dialog[open]') === null
}

/** Listens for single keys until the returned function is called: `$effect(() => listenForKeys({ u: undo }))`. */
export function listenForKeys(map: KeyMap): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (!preferences.singleKeys || !isForPage(event)) return
    const action = map[event.key]
    if (action === undefined) return
    event.preventDefault()
    action(event)
  }
  addEventListener('keydown', onKeyDown)
  return () => removeEventListener('keydown', onKeyDown)
}
