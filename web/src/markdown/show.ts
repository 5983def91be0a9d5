import { copyButton } from './copy-button.js'
import { fetchHidden } from './pictures.js'
import { type Heading, renderMarkdown, type Whole } from './render.js'
import { splitSource } from './split-source.js'

/** So long the page may be busy with a text before it looks after whoever is reading. */
const SLICE_MS = 12
/** From so many characters on, pieces that are out of sight are not laid out. */
const LONG_TEXT = 100_000

interface Options {
  anchor: string
  hasCopy: boolean
  onheadings?: ((headings: Heading[]) => void) | undefined
}

/**
 * Fills the element with Markdown: the beginning at once, a long rest in slices, the colours of code when their part of
 * the program is there. What it returns ends it early.
 */
export function showMarkdown(
  element: HTMLElement,
  source: string,
  { anchor, hasCopy, onheadings }: Options,
): () => void {
  const pieces = splitSource(source)
  const whole: Whole = { seen: new Map(), isLowered: pieces.some((piece) => /^#\s/.test(piece)) }
  const headings: Heading[] = []
  let isOver = false
  let next = 0

  function showSlice(): void {
    const end = performance.now() + SLICE_MS
    while (next < pieces.length && performance.now() < end) {
      const { content, headings: found } = renderMarkdown(pieces[next] as string, anchor, whole)
      headings.push(...found)
      const blocks = [...content.querySelectorAll<HTMLElement>('pre > code[class]')]
      if (hasCopy) for (const block of content.querySelectorAll('pre')) copyButton(block)
      element.append(source.length > LONG_TEXT ? asPiece(content) : content)
      if (blocks.length > 0)
        void import('./highlight.js').then(
          ({ highlight }) => highlight(blocks),
          () => {},
        )
      next += 1
    }
  }

  element.replaceChildren()
  showSlice()
  fetchHidden(element)
  onheadings?.(headings)
  if (next < pieces.length) void showRest()

  async function showRest(): Promise<void> {
    while (next < pieces.length) {
      await new Promise((resolve) => setTimeout(resolve))
      if (isOver) return
      showSlice()
    }
    onheadings?.(headings)
  }

  return () => {
    isOver = true
  }
}

function asPiece(content: DocumentFragment): HTMLElement {
  const piece = document.createElement('div')
  piece.className = 'markdown piece'
  piece.append(content)
  return piece
}
