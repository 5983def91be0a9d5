import { listenForKeys } from '../platform/keys.js'
import { go } from '../platform/router.svelte.js'
import { search } from './search.svelte.js'

/** Milliseconds after `g` during which a letter selects a page */
const NEXT_KEY_MS = 1_500

const PLACES = { h: '.', d: 'decks', q: 'quiz', s: 'spickzettel', t: 'statistik' }
const GO = Object.fromEntries(Object.entries(PLACES).map(([key, href]) => [key, () => void go(href)]))

export function listenForGlobalKeys(): () => void {
  let endSequence = () => {}

  function beginSequence(): void {
    endSequence()
    const stopKeys = listenForKeys(GO)
    const over = new AbortController()
    const end = () => endSequence()
    const timer = setTimeout(end, NEXT_KEY_MS)
    // The next key ends the sequence. The listener is added later, because the event of `g` itself is still being
    // dispatched.
    setTimeout(() => addEventListener('keydown', end, { signal: over.signal }))
    endSequence = () => {
      stopKeys()
      clearTimeout(timer)
      over.abort()
      endSequence = () => {}
    }
  }

  const stopKeys = listenForKeys({ g: beginSequence, '/': () => void search.open() })

  /** Opens the search with Ctrl+K, also in fields and while single-key shortcuts are off. */
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.repeat) return
    // The editor prevents the default, because it uses Ctrl+K for links.
    if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return
    event.preventDefault()
    void search.open()
  }
  addEventListener('keydown', onKeyDown)

  return () => {
    endSequence()
    stopKeys()
    removeEventListener('keydown', onKeyDown)
  }
}
