import { Blocks } from './blocks.js'
import { BOLD, CODE, endsOf, HIDDEN, ITALIC, LINES, PARAGRAPHS, VOID } from './elements.js'
import { linkTarget } from './escape.js'
import { makeRun, PLAIN, type Run, type Style } from './inline.js'
import { toScript } from './scripts.js'

export interface ConvertOptions {
  /** The target of a picture of that `src`, such as `media/….png`; undefined when it cannot be shown. */
  picture(src: string): string | undefined
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
  /** How many containers there were before. */
  depth: number
  /** The first run within, for what is written otherwise at its end. */
  run: number
}

const MAX_DEPTH = 100
const MAX_CONTAINERS = 16
const MAX_NAME = 100

/** What the tags and texts of a document do, one after another. */
export class Document {
  readonly #options: ConvertOptions
  readonly #blocks = new Blocks()
  readonly #elements: Element[] = []
  /** Elements that are open beyond the depth. */
  #beyond = 0
  #style: Style = PLAIN
  #isHidden = false
  #text = ''
  /** Of the block of code that is open. */
  #code: string[] | undefined
  #language = ''
  #length = 0
  #isBlank = true
  #sounds = 0
  readonly #missing: string[] = []

  constructor(options: ConvertOptions) {
    this.#options = options
  }

  addText(text: string): void {
    if (!this.#isHidden && this.#length <= this.#options.maxLength) this.#text += text
  }

  finish(): Converted {
    while (this.#elements.length > 0) this.#endElement()
    this.#commit()
    const isTooLong = this.#length > this.#options.maxLength
    const markdown = isTooLong ? '' : this.#blocks.finish().toWellFormed()
    return { markdown, isBlank: this.#isBlank, isTooLong, sounds: this.#sounds, missing: this.#missing }
  }

  open(name: string, attributes: Record<string, string>): void {
    this.#commit()
    if (name === 'img' || name === 'embed') this.#addPicture(attributes)
    else if (name === 'br') this.#break()
    else if (!VOID.has(name)) this.#openElement(name, attributes)
    else if (name === 'hr' && !this.#isHidden && this.#code === undefined) this.#blocks.addRule()
  }

  #openElement(name: string, attributes: Record<string, string>): void {
    this.#endBefore(name)
    if (this.#elements.length >= MAX_DEPTH) {
      this.#beyond++
      if (LINES.has(name) || PARAGRAPHS.has(name)) this.#startLine()
      return
    }
    const blocks = this.#blocks
    this.#elements.push({
      name,
      style: this.#style,
      isHidden: this.#isHidden,
      depth: blocks.depth,
      run: blocks.runs.length,
    })
    if (name === 'audio' || name === 'video') this.#addSound(name === 'audio' ? 'Ton' : 'Video', attributes.src ?? '')
    if (name === 'svg' && !this.#isHidden) this.#addMissing('Zeichnung')
    const css = (attributes.style ?? '').slice(0, 1_000)
    if (HIDDEN.has(name) || name === 'audio' || name === 'video' || /display\s*:\s*none/i.test(css))
      this.#isHidden = true
    if (this.#isHidden) return
    this.#restyle(name, attributes, css)
    if (this.#code === undefined) this.#openBlock(name, attributes)
    else if (LINES.has(name) || PARAGRAPHS.has(name)) this.#startLine()
  }

  close(name: string): void {
    this.#commit()
    if (this.#beyond > 0) {
      this.#beyond--
      return
    }
    if (name === 'br') this.#break()
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

  #openBlock(name: string, attributes: Record<string, string>): void {
    const blocks = this.#blocks
    const { kind } = blocks.top
    const isFull = blocks.depth >= MAX_CONTAINERS
    if (name === 'pre') {
      blocks.endParagraph()
      this.#code = []
      this.#language = languageOf(attributes.class)
    } else if ((name === 'ul' || name === 'ol') && !isFull) {
      const start = Number(attributes.start ?? 1)
      const isNumber = Number.isInteger(start) && start >= 0 && start < 1e8
      blocks.open({ kind: 'list', number: name === 'ul' ? undefined : isNumber ? start : 1 })
    } else if (name === 'li' && kind === 'list') blocks.open({ kind: 'item' })
    else if (name === 'blockquote' && !isFull) blocks.open({ kind: 'quote' })
    else if (name === 'table' && !isFull) blocks.open({ kind: 'table' })
    else if (name === 'tr' && kind === 'table') blocks.startRow(this.#elements.some(({ name }) => name === 'thead'))
    else if ((name === 'td' || name === 'th') && kind === 'table') blocks.open({ kind: 'cell', isHead: name === 'th' })
    else if (PARAGRAPHS.has(name)) blocks.endParagraph()
    else if (LINES.has(name) || name === 'li' || name === 'tr') blocks.startLine(this.#style)
    else if (name === 'rt') this.#push('(')
  }

  #endElement(): void {
    this.#commit()
    const element = this.#elements.pop() as Element
    const { name } = element
    const blocks = this.#blocks
    if (!this.#isHidden) {
      if (name === 'pre' && this.#code !== undefined) this.#endCode()
      else if (this.#code !== undefined) {
        if (LINES.has(name) || PARAGRAPHS.has(name)) this.#startLine()
      } else {
        while (blocks.depth > element.depth) blocks.close()
        if (PARAGRAPHS.has(name)) blocks.endParagraph()
        else if (LINES.has(name) || name === 'li' || name === 'tr') blocks.startLine(this.#style)
        else if (name === 'sub' || name === 'sup') this.#endScript(name, element.run)
        else if (name === 'rt') this.#endRuby(element.run)
      }
    }
    this.#style = element.style
    this.#isHidden = element.isHidden
  }

  #restyle(name: string, attributes: Record<string, string>, css: string): void {
    const style = { ...this.#style }
    if (BOLD.has(name) || /font-weight\s*:\s*(?:bold|[6-9]00)/i.test(css)) style.bold = true
    else if (/font-weight\s*:\s*(?:normal|[1-5]00)/i.test(css)) style.bold = false
    if (ITALIC.has(name) || /font-style\s*:\s*(?:italic|oblique)/i.test(css)) style.italic = true
    if (CODE.has(name)) style.code = true
    if (name === 'code' && this.#code !== undefined) this.#language ||= languageOf(attributes.class)
    if (name === 'a') style.href = linkTarget(attributes.href ?? '')
    this.#style = style
  }

  #break(): void {
    if (this.#isHidden || ++this.#length > this.#options.maxLength) return
    if (this.#code !== undefined) this.#code.push('\n')
    else this.#blocks.runs.push(makeRun('break', '', this.#style))
  }

  #startLine(): void {
    if (this.#isHidden) return
    if (this.#code === undefined) this.#blocks.startLine(this.#style)
    else if (this.#code.length > 0 && !this.#code.at(-1)?.endsWith('\n')) this.#code.push('\n')
  }

  #endCode(): void {
    const text = (this.#code ?? [])
      .join('')
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd()
    this.#code = undefined
    if (text !== '') this.#blocks.addCode(text, this.#language)
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
      this.#push(text.slice(done, at))
      this.#addSound('Ton', text.slice(at + SOUND.length, end))
      done = end + 1
    }
    this.#push(text.slice(done))
  }

  #push(written: string): void {
    const text = HAS_CONTROLS.test(written) ? written.replace(CONTROLS, '') : written
    if (text === '') return
    this.#length += text.length
    if (this.#isBlank && text.trim() !== '') this.#isBlank = false
    if (this.#code !== undefined) this.#code.push(text.replace(/\u00a0/g, ' ').replace(/\r\n?/g, '\n'))
    else this.#blocks.runs.push(makeRun('text', text, this.#style))
  }

  /** Text that stands for something else. */
  #name(text: string): void {
    this.#length += text.length
    if (this.#code !== undefined) this.#code.push(text)
    else this.#blocks.runs.push({ ...this.#style, code: false, kind: 'text', text })
  }

  #addSound(kind: string, name: string): void {
    if (this.#isHidden) return
    this.#sounds++
    this.#name(`[${kind}: ${shortName(name) || 'ohne Namen'}]`)
  }

  #addMissing(name: string): void {
    this.#missing.push(name)
    this.#name(`[Bild: ${name}]`)
  }

  #addPicture({ src = '', data = '', alt = '' }: Record<string, string>): void {
    if (this.#isHidden) return
    const address = src || data
    const target = this.#code === undefined ? this.#options.picture(address) : undefined
    if (target === undefined) {
      this.#addMissing(shortName(address) || shortName(alt) || 'ohne Namen')
      return
    }
    const words = shortName(alt).replace(/[\\[\]`*_<&!|]/g, ' ')
    this.#isBlank = false
    this.#length += target.length
    this.#blocks.runs.push({ ...this.#style, code: false, kind: 'raw', text: `![${words.trim()}](${target})` })
  }

  /** What was written since the run, as small letters where there are such. */
  #endScript(place: 'sub' | 'sup', from: number): void {
    const { runs } = this.#blocks
    const inside = runs.slice(from)
    const text = inside.map((run) => run.text).join('')
    if (text.trim() === '' || inside.some(({ kind, code }) => kind !== 'text' || code)) return
    const small = toScript(text.trim(), place)
    if (small !== undefined) {
      runs.splice(from, inside.length, { ...(inside[0] as Run), text: small })
      return
    }
    const mark = place === 'sub' ? '_(' : '^('
    runs.splice(from, 0, { ...(inside[0] as Run), text: mark })
    runs.push({ ...(inside.at(-1) as Run), text: ')' })
  }

  #endRuby(from: number): void {
    const { runs } = this.#blocks
    if (runs.slice(from + 1).every(({ text }) => text.trim() === '')) runs.length = Math.min(from, runs.length)
    else this.#push(')')
  }
}

const SOUND = '[sound:'
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const HAS_CONTROLS = /[\0-\x08\x0b\x0e-\x1f\x7f\ufeff]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: likewise
const CONTROLS = /[\0-\x08\x0b\x0e-\x1f\x7f\ufeff]/g

function languageOf(names = ''): string {
  return /(?:^|\s)(?:lang|language)-([\w+#-]{1,20})(?:\s|$)/.exec(names)?.[1] ?? ''
}

/** The last part of an address, for people. */
function shortName(address: string): string {
  if (/^data:/i.test(address)) return 'eingebettet'
  const name = address.slice(0, 2_000).split(/[\\/]/).at(-1) ?? ''
  return name
    .replace(/[\s\p{Cc}[\]]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME)
}
