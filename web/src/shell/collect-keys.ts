/** Collects keys typed for a field that is still loading; `stop` returns the text, or undefined after Escape. */
export function collectKeys(): { stop(): string | undefined } {
  const over = new AbortController()
  let text = ''
  let isCalledOff = false

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') isCalledOff = true
    else if (event.key === 'Backspace') text = [...text].slice(0, -1).join('')
    // Keys with a name of several characters, such as Tab, are not text.
    else if ([...event.key].length === 1) text += event.key
    else return
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  // Handles keys before the page does. The current event has already passed the capture phase, so handling starts with
  // the next event.
  addEventListener('keydown', onKeyDown, { capture: true, signal: over.signal })
  return {
    stop() {
      over.abort()
      return isCalledOff ? undefined : text
    },
  }
}
