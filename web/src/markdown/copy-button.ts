const DONE_MS = 2_000

/** Adds a copy button to a code block. Does nothing in an insecure context, where browsers offer no clipboard. */
export function copyButton(block: HTMLElement): void {
  if (navigator.clipboard === undefined) return
  const text = (block.textContent ?? '').replace(/\n$/, '')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Kopieren'
  button.addEventListener('click', async () => {
    const isDone = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
    button.textContent = isDone ? 'Kopiert' : 'Ging nicht'
    setTimeout(() => (button.textContent = 'Kopieren'), DONE_MS)
  })
  const frame = document.createElement('div')
  frame.className = 'code'
  block.replaceWith(frame)
  frame.append(block, button)
}
