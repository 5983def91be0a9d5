import { Parser } from 'htmlparser2'
import { MAX_PICTURE_BYTES } from '../pictures/index.js'

/** An element of a question. `text` is the text directly inside the element; in a `file`, without white space. */
export interface Element {
  name: string
  attributes: Readonly<Record<string, string>>
  children: Element[]
  text: string
  /** Line of the start tag in the file, from 1 */
  line: number
  comments: string[]
  /** Whether the end tag of the element or of an element inside it is missing, for example because the file ends */
  isCut: boolean
}

/** Characters that the conversion uses as marks; the parser replaces them in the source with U+FFFD */
const NONCHARACTERS = /[\u{fdd0}-\u{fdef}]/gu

/** A fault that ends reading; the message is German, without a full stop. */
export interface XmlFault {
  line: number
  message: string
}

const MAX_DEPTH = 20
const MAX_ELEMENTS = 2_000
/** Elements whose text is ignored: pictures of Moodle 1.9 */
const WITHOUT_TEXT = new Set(['image_base64'])
const FILE = 'file'
/** Number of base64 characters after which the rest of a file is dropped; more than the largest picture needs */
const MAX_FILE_LENGTH = 2 * MAX_PICTURE_BYTES

/**
 * Passes each child of the root element to `found`, one at a time, so that a large file never becomes one tree. Expands
 * only the predefined entities and character references of XML, so the text never grows.
 * @param found returns false to stop
 * @returns the fault that ended reading; undefined if the end was reached or `found` stopped
 */
export function readChildren(source: string, root: string, found: (element: Element) => boolean): XmlFault | undefined {
  const reader = new ChildReader(source, root, found)
  return reader.read()
}

class ChildReader {
  readonly #source: string
  readonly #root: string
  readonly #found: (element: Element) => boolean
  readonly #open: Element[] = []
  #fault: XmlFault | undefined
  #isDone = false
  #hasRoot = false
  #elements = 0
  /** Position of the latest start tag */
  #startedAt = -1
  /** Line number at the position `#counted` */
  #line = 1
  #counted = 0

  constructor(source: string, root: string, found: (element: Element) => boolean) {
    this.#source = source
    this.#root = root
    this.#found = found
  }

  read(): XmlFault | undefined {
    const parser: Parser = new Parser(
      {
        onprocessinginstruction: (_, data) => {
          if (/^!doctype\b[^>]*\[/i.test(data)) {
            this.#stop(parser.startIndex, 'Die Datei erklärt eigene Entitäten (DOCTYPE), das ist nicht erlaubt')
          }
        },
        onopentag: (name, attributes) => {
          this.#startedAt = parser.startIndex
          this.#start(name, attributes, parser.startIndex)
        },
        ontext: (text) => this.#addText(text),
        oncomment: (text) => this.#open.at(-1)?.comments.push(text.trim()),
        // The parser also reports the end of `<name/>` as implied, at the position of its start.
        onclosetag: (_, isImplied) => this.#end(isImplied && parser.startIndex !== this.#startedAt),
      },
      { xmlMode: true, decodeEntities: true },
    )
    // Parses in pieces, so that parsing ends soon after a fault.
    for (let at = 0; at < this.#source.length && !this.#isDone; at += PIECE) {
      parser.write(this.#source.slice(at, at + PIECE))
    }
    if (!this.#isDone) parser.end()
    if (!this.#hasRoot) this.#stop(0, `Die Datei hat kein Element <${this.#root}>`)
    return this.#fault
  }

  #stop(at: number, message: string): void {
    if (!this.#isDone) this.#fault = { line: this.#lineAt(at), message }
    this.#isDone = true
  }

  #start(name: string, attributes: Record<string, string>, at: number): void {
    if (this.#isDone) return
    if (!this.#hasRoot) {
      if (name !== this.#root) this.#stop(at, `Die Datei beginnt mit <${name.slice(0, 40)}> statt mit <${this.#root}>`)
      this.#hasRoot = true
      return
    }
    if (this.#open.length >= MAX_DEPTH) this.#stop(at, `Mehr als ${MAX_DEPTH} Elemente sind ineinander geschachtelt`)
    if (this.#open.length === 0) this.#elements = 0
    if (++this.#elements > MAX_ELEMENTS) this.#stop(at, `Eine Frage hat mehr als ${MAX_ELEMENTS} Elemente`)
    if (this.#isDone) return
    const element: Element = {
      name,
      attributes,
      children: [],
      text: '',
      line: this.#lineAt(at),
      comments: [],
      isCut: false,
    }
    this.#open.at(-1)?.children.push(element)
    this.#open.push(element)
  }

  #addText(text: string): void {
    const element = this.#open.at(-1)
    if (element === undefined || WITHOUT_TEXT.has(element.name)) return
    if (element.name !== FILE) element.text += text.replaceAll(NONCHARACTERS, '\ufffd')
    else if (element.text.length < MAX_FILE_LENGTH) element.text += text.replaceAll(/\s+/g, '')
  }

  #end(isImplied: boolean): void {
    if (this.#isDone) return
    const element = this.#open.pop()
    if (element === undefined) return
    element.isCut ||= isImplied
    const parent = this.#open.at(-1)
    if (parent === undefined) {
      if (!this.#found(element)) this.#isDone = true
    } else if (element.isCut) parent.isCut = true
  }

  #lineAt(position: number): number {
    for (; this.#counted < position; this.#counted++) if (this.#source[this.#counted] === '\n') this.#line++
    return this.#line
  }
}

const PIECE = 65_536

export function childOf(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((child) => child.name === name)
}

export function childrenOf(element: Element, name: string): Element[] {
  return element.children.filter((child) => child.name === name)
}

/** Returns the trimmed text of the named child, from its `text` element if it has one; empty without such a child. */
export function textIn(element: Element | undefined, name: string): string {
  const child = childOf(element, name)
  return (childOf(child, 'text') ?? child)?.text.trim() ?? ''
}
