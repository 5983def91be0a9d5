import { propertiesOf, type StyleSheet } from './css-properties.js'
import type { Converted, Document } from './document.js'
import { BLOCK_ELEMENTS, PARAGRAPHS, STRUCTURE_ELEMENTS, VOID } from './elements.js'

type Attributes = Record<string, string>

interface Paragraph {
  list: string
  level: number
}

interface OpenList extends Paragraph {
  name: 'ul' | 'ol'
}

/**
 * Adds the content of HTML from Word or Outlook to a document, with `ul`, `ol` and `li` for the items of lists. These
 * programs write an item as a paragraph that names list and level in a style, and the bullet or number as text.
 */
export class WordLists {
  readonly #document: Document
  readonly #styles: StyleSheet | undefined
  readonly #lists: OpenList[] = []
  /** Paragraph whose bullet or number has not been read yet, and the inline elements that were opened in it */
  #paragraph: Paragraph | undefined
  #held: { name: string; attributes: Attributes }[] = []
  #marker: string | undefined
  /** Number of open elements of the marker */
  #markerDepth = 0
  #isInItem = false
  /** Number of open `ul` and `ol` elements of the HTML */
  #ownLists = 0

  constructor(document: Document, styles: StyleSheet | undefined) {
    this.#document = document
    this.#styles = styles
  }

  addText(text: string): void {
    if (this.#marker !== undefined) {
      this.#marker += text
      return
    }
    if (text.trim() !== '') {
      if (this.#paragraph !== undefined) this.#startItem('')
      else if (!this.#isInItem) this.#endItems()
    }
    if (this.#paragraph === undefined) this.#document.addText(text)
  }

  open(name: string, attributes: Attributes, isClosed: boolean): void {
    if (this.#marker !== undefined) {
      if (!isClosed && !VOID.has(name)) this.#markerDepth++
      return
    }
    const { list, isListMarker } = propertiesOf(name, attributes, this.#styles)
    if (name === 'p' && list !== undefined && this.#ownLists === 0) {
      this.#paragraph = list
      this.#held = []
      this.#isInItem = false
    } else if (isListMarker && this.#paragraph !== undefined) {
      this.#marker = ''
      this.#markerDepth = 1
    } else if (this.#paragraph !== undefined && !isClosed && !VOID.has(name) && !isBlock(name)) {
      this.#held.push({ name, attributes })
    } else {
      if (this.#paragraph !== undefined && !isBlock(name)) this.#startItem('')
      else if (isBlock(name) || !this.#isInItem) this.#endItems()
      if (name === 'ul' || name === 'ol') this.#ownLists++
      this.#document.open(name, attributes, isClosed)
    }
  }

  close(name: string): void {
    if (this.#marker !== undefined) {
      this.#markerDepth--
      if (this.#markerDepth === 0) this.#startItem(this.#marker)
    } else if (name === 'p' && (this.#paragraph !== undefined || this.#isInItem)) {
      this.#paragraph = undefined
      this.#isInItem = false
    } else if (this.#paragraph !== undefined && !isBlock(name)) {
      if (this.#held.at(-1)?.name === name) this.#held.pop()
    } else {
      if (isBlock(name)) this.#endItems()
      if ((name === 'ul' || name === 'ol') && this.#ownLists > 0) this.#ownLists--
      this.#document.close(name)
    }
  }

  finish(): Converted {
    return this.#document.finish()
  }

  #startItem(marker: string): void {
    const { list, level } = this.#paragraph as Paragraph
    const document = this.#document
    this.#marker = undefined
    this.#paragraph = undefined
    this.#isInItem = true
    this.#endLists((open) => open.level > level || (open.level === level && open.list !== list))
    if (this.#lists.at(-1)?.level === level) document.close('li')
    else {
      const number = numberOf(marker)
      const name = number === undefined ? 'ul' : 'ol'
      document.open(name, number === undefined ? {} : { start: String(number) }, false)
      this.#lists.push({ list, level, name })
    }
    document.open('li', {}, false)
    for (const { name, attributes } of this.#held) document.open(name, attributes, false)
    this.#held = []
  }

  /** Ends an item without a marker, and all lists, before or after another block. */
  #endItems(): void {
    this.#paragraph = undefined
    this.#held = []
    this.#isInItem = false
    this.#endLists()
  }

  /** Ends the innermost lists as long as the condition holds. */
  #endLists(isEnding: (list: OpenList) => boolean = () => true): void {
    for (let last = this.#lists.at(-1); last !== undefined && isEnding(last); last = this.#lists.at(-1)) {
      this.#document.close(last.name)
      this.#lists.pop()
    }
  }
}

function isBlock(name: string): boolean {
  return BLOCK_ELEMENTS.has(name) || STRUCTURE_ELEMENTS.has(name) || PARAGRAPHS.has(name)
}

/** Returns the number of a marker such as `3.`, `1.3` or `(a)`, for which it is 1; undefined for a bullet. */
function numberOf(marker: string): number | undefined {
  const text = marker.trim()
  const [, digits] = /(\d{1,8})[.)]?$/.exec(text) ?? []
  if (digits !== undefined) return Number(digits)
  return /^\(?[a-z]{1,6}[.)]$/i.test(text) ? 1 : undefined
}
