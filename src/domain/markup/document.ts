import type { Blocks } from './blocks.js'
import { propertiesOf, restyle, type StyleSheet, type WhiteSpace } from './css-properties.js'
import {
  BLOCK_ELEMENTS,
  endsOf,
  HIDDEN,
  INLINE_ELEMENTS,
  PARAGRAPHS,
  STRUCTURE_ELEMENTS,
  TABLE_PARTS,
  VOID,
} from './elements.js'
import type { Run, Style } from './inline.js'
import { Writer } from './writer.js'

export interface ConvertOptions {
  /** Returns the target of a picture for this `src`, such as `media/….png`; undefined if it cannot be shown. */
  picture(src: string): string | undefined
  /** Style sheet, applied in addition to `style` attributes */
  styles?: StyleSheet | undefined
  /** Whether to include content that styles hide; a script may show it later */
  showsHidden?: boolean
  /** Maximum length of all texts and picture targets together, in UTF-16 code units */
  maxLength: number
}

export interface Converted {
  /** Empty if the text is too long */
  markdown: string
  /** Whether there is neither text nor a picture; the names of media that cannot be shown do not count */
  isBlank: boolean
  isTooLong: boolean
  sounds: number
  /** Names of pictures and drawings that cannot be shown */
  missing: string[]
  /** Whether content that styles hide was left out */
  isPartial: boolean
}

interface Element {
  name: string
  /** Style before the start tag, restored at the end tag */
  style: Style
  /** Value of `#isHidden` before the start tag, restored at the end tag */
  isHidden: boolean
  isLine: boolean
  whiteSpace: WhiteSpace
  /** Number of open containers before the start tag */
  depth: number
  /** Runs of the paragraph where the element starts, and index of the first run of the element */
  runs: readonly Run[]
  run: number
}

const MAX_DEPTH = 100
const MAX_CONTAINERS = 16

const isSmall = ({ name }: Element): boolean => name === 'sup' || name === 'sub' || name === 'rt'

export class Document {
  readonly #writer: Writer
  readonly #blocks: Blocks
  readonly #elements: Element[] = []
  /** Number of open elements beyond the maximum depth, by name; they are the innermost open elements. */
  readonly #tooDeep = new Map<string, number>()
  #isHidden = false
  #isPartial = false
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
    return {
      markdown,
      isBlank: isBlank || (!isFull && markdown.trim() === ''),
      isTooLong: isFull,
      sounds,
      missing,
      isPartial: this.#isPartial,
    }
  }

  /** @param isClosed whether the tag ends in `/>`, which closes only SVG and MathML elements */
  open(name: string, attributes: Record<string, string>, isClosed: boolean): void {
    this.#commit()
    if (isClosed && this.#isForeign(name)) {
      if (name === 'svg' && !this.#isHidden) this.#writer.addMissing('Zeichnung')
    } else if (!VOID.has(name)) this.#openElement(name, attributes)
    else if (!this.#isHidden) this.#addVoid(name, attributes)
  }

  #isForeign(name: string): boolean {
    return name === 'svg' || name === 'math' || this.#elements.some(({ name }) => name === 'svg' || name === 'math')
  }

  #addVoid(name: string, attributes: Record<string, string>): void {
    if (name === 'img' || name === 'embed') this.#writer.addPicture(attributes)
    else if (name === 'br') this.#writer.break()
    else if (name === 'hr' && !this.#writer.isCode) this.#blocks.addRule()
  }

  #openElement(name: string, attributes: Record<string, string>): void {
    this.#endBefore(name)
    if (name in TABLE_PARTS && !this.#elements.some(({ name }) => name === 'table')) {
      // Browsers ignore parts of a table outside of a table; the new line keeps the words around the tag apart.
      this.#startLineFor(name)
      return
    }
    if (this.#elements.length >= MAX_DEPTH) {
      this.#tooDeep.set(name, (this.#tooDeep.get(name) ?? 0) + 1)
      this.#startLineFor(name)
      return
    }
    const blocks = this.#blocks
    const element: Element = {
      name,
      style: this.#writer.style,
      isHidden: this.#isHidden,
      isLine: BLOCK_ELEMENTS.has(name),
      whiteSpace: this.#whiteSpace,
      depth: blocks.depth,
      runs: blocks.runs,
      run: blocks.runs.length,
    }
    this.#elements.push(element)
    if (this.#isHidden) return
    const isFilm = name === 'audio' || name === 'video'
    if (isFilm) this.#writer.addSound(name === 'audio' ? 'Ton' : 'Video', attributes.src ?? '')
    if (name === 'svg') this.#writer.addMissing('Zeichnung')
    const properties = propertiesOf(name, attributes, this.#styles)
    const isClosed = properties.isHidden === true && !this.#showsHidden
    this.#isHidden = HIDDEN.has(name) || isFilm || isClosed
    this.#isPartial ||= isClosed
    if (this.#isHidden) return
    if (properties.isBlock === true && INLINE_ELEMENTS.has(name) && !this.#elements.some(isSmall)) element.isLine = true
    this.#whiteSpace = properties.whiteSpace ?? this.#whiteSpace
    this.#writer.style = restyle(this.#writer.style, name, attributes.href, properties)
    if (name === 'code' && this.#writer.isCode) this.#writer.nameLanguage(attributes.class)
    if (!this.#writer.isCode) this.#openBlock(element, attributes)
    else if (element.isLine || PARAGRAPHS.has(name)) this.#writer.startLine()
  }

  close(name: string): void {
    this.#commit()
    if (name === 'br' && !this.#isHidden) this.#writer.break()
    const tooDeep = this.#tooDeep.get(name) ?? 0
    if (tooDeep > 0) {
      if (tooDeep > 1) this.#tooDeep.set(name, tooDeep - 1)
      else this.#tooDeep.delete(name)
      this.#startLineFor(name)
      return
    }
    const at = this.#elements.findLastIndex((element) => element.name === name)
    if (at >= 0 && at >= this.#scopeOf(name)) this.#endFrom(at)
  }

  /**
   * Returns the lowest index of an element that the end tag may close. For `</table>`, this is 0; for a part of a
   * table, the index of the innermost table; for other tags, the index of the innermost cell, caption or table. Returns
   * −1 if no such element is open.
   */
  #scopeOf(name: string): number {
    if (name === 'table') return 0
    const isPart = name in TABLE_PARTS
    return this.#elements.findLastIndex(({ name }) => name === 'table' || (!isPart && HOLDS_TABLES.has(name)))
  }

  /** Starts a line for a block-level tag that is otherwise ignored, such as one beyond the maximum depth. */
  #startLineFor(name: string): void {
    if (this.#isHidden) return
    if (BLOCK_ELEMENTS.has(name) || PARAGRAPHS.has(name) || STRUCTURE_ELEMENTS.has(name)) this.#writer.startLine()
  }

  /** Closes the elements that a start tag closes implicitly: a cell, for example, closes the previous cell. */
  #endBefore(name: string): void {
    const kept = TABLE_PARTS[name]
    if (kept !== undefined) this.#endInTable(kept)
    if (name === 'table') this.#endTable()
    if (this.#tooDeep.size > 0) return
    for (const { ended, within, isWithin = false } of endsOf(name)) {
      const limit = this.#elements.findLastIndex((element) => within.has(element.name))
      if (isWithin && limit < 0) continue
      const at = this.#elements.findIndex((element, index) => index > limit && ended.has(element.name))
      if (at >= 0) this.#endFrom(at)
    }
  }

  #endInTable(kept: readonly string[]): void {
    const table = this.#elements.findLastIndex(({ name }) => name === 'table')
    if (table < 0 || this.#tooDeep.has('table')) return
    const at = this.#elements.findIndex(({ name }, index) => index > table && !kept.includes(name))
    if (at >= 0) this.#endFrom(at)
  }

  /** Ends the innermost open table if another table starts between its cells. */
  #endTable(): void {
    const at = this.#elements.findLastIndex(({ name }) => HOLDS_TABLES.has(name))
    if (this.#elements[at]?.name === 'table' && this.#tooDeep.size === 0) this.#endFrom(at)
  }

  #endFrom(at: number): void {
    this.#tooDeep.clear()
    while (this.#elements.length > at) this.#endElement()
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
    else if (isLine || STRUCTURE_ELEMENTS.has(name)) blocks.startLine(this.#writer.style)
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
        else if (element.isLine || STRUCTURE_ELEMENTS.has(name)) blocks.startLine(this.#writer.style)
        else if (blocks.runs !== element.runs) this.#endDivided(name)
        else if (name === 'sub' || name === 'sup') this.#writer.endScript(name, element.run)
        else if (name === 'rt') this.#writer.endRuby(element.run)
      }
    }
    this.#writer.style = element.style
    this.#isHidden = element.isHidden
    this.#whiteSpace = element.whiteSpace
  }

  /** Ends an element whose text was split into several paragraphs; only `rt` then needs a closing bracket. */
  #endDivided(name: string): void {
    if (name === 'rt') this.#writer.push(')')
  }

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

const HOLDS_TABLES = new Set(['table', 'td', 'th', 'caption'])
const SOUND = '[sound:'
/** File name of a video; Anki also stores videos as `[sound:…]` */
const FILM = /\.(?:mp4|m4v|mov|mkv|avi|webm|mpe?g|wmv|flv|ogv)\s*$/i
