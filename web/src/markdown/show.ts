import { copyButton } from './copy-button.js'
import { preloadHidden } from './pictures.js'
import { type Heading, type RenderState, renderMarkdown } from './render.js'
import { splitSource } from './split-source.js'

/** Milliseconds after which rendering pauses, so that the page handles input */
const SLICE_MS = 8
/** Length of the first slice in milliseconds; shorter, because the surrounding page is rendered at the same time */
const FIRST_SLICE_MS = 4
/** Length in characters above which the browser lays out the pieces of a text only near the viewport */
const LONG_TEXT = 100_000

interface Options {
  anchor: string
  hasCopy: boolean
  onheadings?: ((headings: Heading[]) => void) | undefined
}

/**
 * Renders Markdown into the element: the beginning at once, the rest of a long text in slices. Highlights code when
 * the highlighter is loaded. Returns a function that stops the rendering.
 */
export function showMarkdown(
  element: HTMLElement,
  source: string,
  { anchor, hasCopy, onheadings }: Options,
): () => void {
  const pieces = splitSource(source)
  const state: RenderState = { seen: new Map(), isLowered: pieces.some((piece) => /^#\s/.test(piece)) }
  const headings: Heading[] = []
  const colourless: HTMLElement[] = []
  let isOver = false
  let next = 0

  function showSlice(sliceMs: number): void {
    const end = performance.now() + sliceMs
    while (next < pieces.length && performance.now() < end) {
      const { content, headings: found } = renderMarkdown(pieces[next] as string, anchor, state)
      headings.push(...found)
      const blocks = [...content.querySelectorAll<HTMLElement>('pre > code[class]')]
      if (hasCopy) for (const block of content.querySelectorAll('pre')) copyButton(block)
      element.append(source.length > LONG_TEXT ? wrapPiece(content) : content)
      colourless.push(...blocks)
      next += 1
    }
  }

  element.replaceChildren()
  showSlice(FIRST_SLICE_MS)
  preloadHidden(element)
  onheadings?.(headings)
  if (next < pieces.length) void showRest().then(colour)
  else void colour()

  async function showRest(): Promise<void> {
    while (next < pieces.length) {
      await pause()
      if (isOver) return
      showSlice(SLICE_MS)
    }
    onheadings?.(headings)
  }

  async function colour(): Promise<void> {
    if (colourless.length === 0 || isOver) return
    const highlight = await findHighlight()
    let end = performance.now() + SLICE_MS
    for (const block of colourless) {
      if (performance.now() > end) {
        await pause()
        end = performance.now() + SLICE_MS
      }
      if (isOver) return
      highlight?.(block)
    }
  }

  return () => {
    isOver = true
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve))

const findHighlight = () =>
  import('./highlight.js').then(
    ({ highlight }) => highlight,
    () => undefined,
  )

function wrapPiece(content: DocumentFragment): HTMLElement {
  const piece = document.createElement('div')
  piece.className = 'markdown piece'
  piece.append(content)
  return piece
}
