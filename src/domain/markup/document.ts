import type { Blocks } from './blocks.js'
import { endsOf, HIDDEN, LINES, PARAGRAPHS, VOID, WORDS } from './elements.js'
import type { Style } from './inline.js'
import { merge, readLooks, restyle, type StyleSheet, type WhiteSpace } from './looks.js'
import { Writer } from './writer.js'

export interface ConvertOptions {
  /** The target of a picture of that `src`, such as `media/….png`; undefined when it cannot be shown. */
  picture(src: string): string | undefined
  /** What the document looks like besides the `style` of its elements. */
  styles?: StyleSheet | undefined
  /** What only a script would open is read like the rest. */
  showsHidden?: boolean
  /** Characters of text at most. */
  maxLength: number
}

export interface Converted {
  /** Empty when it is too long. */
  markdown: string
  /** Neither text nor a picture is in it, at most names of what cannot be shown. */
  isBlank: boolean
  isTooLong: boolean
  /** How many sounds and films were named instead. */
  sounds: number
  /** The names of the pictures that cannot be shown. */
  missing: string[]
}

interface Element {
  name: string
  /** As it was before the element. */
  style: Style
  isHidden: boolean
  /** It begins and ends a line. */
  isLine: boolean
  whiteSpace: WhiteSpace
  /** How many containers there were before. */
  depth: number
  /** The first run within, for what is written otherwise at its end. */
  run: number
}

const MAX_DEPTH = 100
const MAX_CONTAINERS = 16

/** Its text stands in one line, above or below another. */
const isSmall = ({ name }: Element): boolean => name === 'sup' || name === 'sub' || name === 'rt'

/** What the tags and texts of a document do, one after another. */
export class Document {
  readonly #writer: Writer
  readonly #blocks: Blocks
  readonly #elements: Element[] = []
  /** Elements that are open beyond the depth. */
  #beyond = 0
  #isHidden = false
  #whiteSpace: WhiteSpace = 'one'
  #text = ''
  readonly #styles: StyleSheet | undefined
  readonly #showsHidden: boolean

  constructor({ maxLength, picture, styles, showsHidden = false }: ConvertOptions) {
    this.#styles = styles
    this.#showsHidden = showsHidden
    this.#writer = new Writer(maxLength, picture)
    this.#blocks = this.#writer.blocks
  }

  addText(text: string): void {
    if (!this.#isHidden && !this.#writer.isFull) this.#text += text
  }

  finish(): Converted {
    while (this.#elements.length > 0) this.#endElement()
    this.#commit()
    const { isFull, isBlank, sounds, missing } = this.#writer
    const markdown = isFull ? '' : this.#blocks.finish().toWellFormed()
    return { markdown, isBlank, isTooLong: isFull, sounds, missing }
  }

  open(name: string, attributes: Record<string, string>): void {
    this.#commit()
    if (!VOID.has(name)) this.#openElement(name, attributes)
    else if (!this.#isHidden) this.#addVoid(name, attributes)
  }

  #addVoid(name: string, attributes: Record<string, string>): void {
    if (name === 'img' || name === 'embed') this.#writer.addPicture(attributes)
    else if (name === 'br') this.#writer.break()
    else if (name === 'hr' && !this.#writer.isCode) this.#blocks.addRule()
  }

  #openElement(name: string, attributes: Record<string, string>): void {
    this.#endBefore(name)
    if (this.#elements.length >= MAX_DEPTH) {
      this.#beyond++
      if (!this.#isHidden && (LINES.has(name) || PARAGRAPHS.has(name))) this.#writer.startLine()
      return
    }
    const blocks = this.#blocks
    const element: Element = {
      name,
      style: this.#writer.style,
      isHidden: this.#isHidden,
      isLine: LINES.has(name),
      whiteSpace: this.#whiteSpace,
      depth: blocks.depth,
      run: blocks.runs.length,
    }
    this.#elements.push(element)
    if (this.#isHidden) return
    const isFilm = name === 'audio' || name === 'video'
    if (isFilm) this.#writer.addSound(name === 'audio' ? 'Ton' : 'Video', attributes.src ?? '')
    if (name === 'svg') this.#writer.addMissing('Zeichnung')
    const own = attributes.style === undefined ? {} : readLooks(attributes.style.slice(0, 1_000))
    const looks = this.#styles === undefined ? own : merge(name, this.#styles(name, attributes), own)
    this.#isHidden = HIDDEN.has(name) || isFilm || (looks.isHidden === true && !this.#showsHidden)
    if (this.#isHidden) return
    if (looks.isBlock === true && WORDS.has(name) && !this.#elements.some(isSmall)) element.isLine = true
    this.#whiteSpace = looks.whiteSpace ?? this.#whiteSpace
    this.#writer.style = restyle(this.#writer.style, name, attributes.href, looks)
    if (name === 'code' && this.#writer.isCode) this.#writer.nameLanguage(attributes.class)
    if (!this.#writer.isCode) this.#openBlock(element, attributes)
    else if (element.isLine || PARAGRAPHS.has(name)) this.#writer.startLine()
  }

  close(name: string): void {
    this.#commit()
    if (this.#beyond > 0) {
      this.#beyond--
      return
    }
    if (name === 'br' && !this.#isHidden) this.#writer.break()
    const at = this.#elements.findLastIndex((element) => element.name === name)
    if (at < 0) return
    while (this.#elements.length > at) this.#endElement()
  }

  /** A cell ends the cell before it, even when nobody has written so. */
  #endBefore(name: string): void {
    const ends = endsOf(name)
    if (ends === undefined || this.#beyond > 0) return
    const limit = this.#elements.findLastIndex((element) => ends.within.includes(element.name))
    const at = this.#elements.findIndex((element, index) => index > limit && ends.ended.includes(element.name))
    if (at >= 0) while (this.#elements.length > at) this.#endElement()
  }

  #openBlock({ name, isLine }: Element, attributes: Record<string, string>): void {
    const blocks = this.#blocks
    const { kind } = blocks.top
    const isFull = blocks.depth >= MAX_CONTAINERS
    if (name === 'pre') this.#writer.startCode(attributes.class)
    else if ((name === 'ul' || name === 'ol') && !isFull) {
      const start = Number(attributes.start ?? 1)
      const isNumber = Number.isInteger(start) && start >= 0 && start < 1e8
      blocks.open({ kind: 'list', number: name === 'ul' ? undefined : isNumber ? start : 1 })
    } else if (name === 'li' && kind === 'list') blocks.open({ kind: 'item' })
    else if (name === 'blockquote' && !isFull) blocks.open({ kind: 'quote' })
    else if (name === 'table' && !isFull) blocks.open({ kind: 'table' })
    else if (name === 'tr' && kind === 'table') blocks.startRow(this.#elements.some(({ name }) => name === 'thead'))
    else if ((name === 'td' || name === 'th') && kind === 'table') {
      const { colspan = 1, rowspan = 1 } = attributes
      blocks.open({ kind: 'cell', isHead: name === 'th', columns: Number(colspan), lines: Number(rowspan) })
    } else if (PARAGRAPHS.has(name)) blocks.endParagraph()
    else if (isLine || name === 'li' || name === 'tr') blocks.startLine(this.#writer.style)
    else if (name === 'rt') this.#writer.push('(')
  }

  #endElement(): void {
    this.#commit()
    const element = this.#elements.pop() as Element
    const { name } = element
    const blocks = this.#blocks
    if (!this.#isHidden) {
      if (name === 'pre' && this.#writer.isCode) this.#writer.endCode()
      else if (this.#writer.isCode) {
        if (element.isLine || PARAGRAPHS.has(name)) this.#writer.startLine()
      } else {
        while (blocks.depth > element.depth) blocks.close()
        if (PARAGRAPHS.has(name)) blocks.endParagraph()
        else if (element.isLine || name === 'li' || name === 'tr') blocks.startLine(this.#writer.style)
        else if (name === 'sub' || name === 'sup') this.#writer.endScript(name, element.run)
        else if (name === 'rt') this.#writer.endRuby(element.run)
      }
    }
    this.#writer.style = element.style
    this.#isHidden = element.isHidden
    this.#whiteSpace = element.whiteSpace
  }

  /** What has been read since the last tag. */
  #commit(): void {
    const text = this.#text
    this.#text = ''
    if (text === '') return
    let done = 0
    for (let at = text.indexOf(SOUND); at >= 0; at = text.indexOf(SOUND, done)) {
      const end = text.indexOf(']', at)
      if (end < 0) break
      this.#writer.write(text.slice(done, at), this.#whiteSpace)
      const name = text.slice(at + SOUND.length, end)
      this.#writer.addSound(FILM.test(name.slice(-10)) ? 'Video' : 'Ton', name)
      done = end + 1
    }
    this.#writer.write(text.slice(done), this.#whiteSpace)
  }
}

const SOUND = '[sound:'
/** Anki writes films as sounds. */
const FILM = /\.(?:mp4|m4v|mov|mkv|avi|webm|mpe?g|wmv|flv|ogv)\s*$/i
