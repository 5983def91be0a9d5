/** Keeps what is typed for a field that is still on its way; `stop` gives it, or undefined after Escape. */
export function collectKeys(): { stop(): string | undefined } {
  const over = new AbortController()
  let text = ''
  let isCalledOff = false

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') isCalledOff = true
    else if (event.key === 'Backspace') text = [...text].slice(0, -1).join('')
    // A key with a name, such as Tab, is none of a text.
    else if ([...event.key].length === 1) text += event.key
    else return
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  // Before the keys of the page, and from now on: the one that has led here is past the capturing listeners.
  addEventListener('keydown', onKeyDown, { capture: true, signal: over.signal })
  return {
    stop() {
      over.abort()
      return isCalledOff ? undefined : text
    },
  }
}
