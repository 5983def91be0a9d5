import { Blocks } from './blocks.js'
import type { WhiteSpace } from './css-properties.js'
import { makeRun, PLAIN, type Run, type Style } from './inline.js'
import { toScript } from './scripts.js'

const MAX_NAME_LENGTH = 100
const MAX_DESCRIPTION_LENGTH = 2_000

export class Writer {
  readonly blocks = new Blocks()
  readonly missing: string[] = []
  style: Style = PLAIN
  /** Length of the texts and pictures written so far, in UTF-16 code units; a line break counts as one. */
  length = 0
  sounds = 0
  isBlank = true
  readonly #maxLength: number
  readonly #picture: (src: string) => string | undefined
  #code: string[] | undefined
  #language = ''

  constructor(maxLength: number, picture: (src: string) => string | undefined) {
    this.#maxLength = maxLength
    this.#picture = picture
  }

  get isFull(): boolean {
    return this.length > this.#maxLength
  }

  get isCode(): boolean {
    return this.#code !== undefined
  }

  startCode(names: string | undefined): void {
    this.blocks.endParagraph()
    this.#code = []
    this.#language = languageOf(names)
  }

  /** Sets the language of an open code block that has none. */
  nameLanguage(names: string | undefined): void {
    this.#language ||= languageOf(names)
  }

  break(): void {
    if (++this.length > this.#maxLength) return
    if (this.#code !== undefined) this.#code.push('\n')
    else this.blocks.runs.push(makeRun('break', '', this.style))
  }

  startLine(): void {
    if (this.#code === undefined) this.blocks.startLine(this.style)
    else if (this.#code.length > 0 && !this.#code.at(-1)?.endsWith('\n')) this.#code.push('\n')
  }

  endCode(): void {
    const text = (this.#code ?? [])
      .join('')
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd()
    this.#code = undefined
    if (text !== '') this.blocks.addCode(text, this.#language)
  }

  write(text: string, whiteSpace: WhiteSpace): void {
    const lines = whiteSpace === 'one' || this.#code !== undefined ? [text] : text.split('\n')
    for (const [index, line] of lines.entries()) {
      if (index > 0) this.break()
      this.push(whiteSpace === 'all' ? line.replace(/^[ \t]+/, hardBlanks) : line)
    }
  }

  push(written: string): void {
    const text = HAS_CONTROLS.test(written) ? written.replace(CONTROLS, '') : written
    if (text === '') return
    this.length += text.length
    if (this.isBlank && text.trim() !== '') this.isBlank = false
    if (this.#code !== undefined) this.#code.push(text.replace(/\u00a0/g, ' ').replace(/\r\n?/g, '\n'))
    else this.blocks.runs.push(makeRun('text', text, this.style))
  }

  /** Writes a text in place of a picture or sound that cannot be shown. */
  #name(text: string): void {
    this.length += text.length
    if (this.#code !== undefined) this.#code.push(text)
    else this.blocks.runs.push({ ...this.style, code: false, kind: 'text', text })
  }

  addSound(kind: string, name: string): void {
    this.sounds++
    this.#name(`[${kind}: ${shortName(name) || 'ohne Namen'}]`)
  }

  addMissing(name: string): void {
    this.missing.push(name)
    this.#name(`[Bild: ${name}]`)
  }

  addPicture({ src = '', data = '', alt = '', srcset = '', 'data-src': later = '' }: Record<string, string>): void {
    const address = src || data || later
    // Browsers show nothing for a picture without source and description; a script of the template may set them later.
    if (address === '' && alt === '' && srcset === '') return
    const target = this.#code === undefined && address !== '' ? this.#picture(address) : undefined
    if (target === undefined) {
      this.addMissing(shortName(address) || shortName(alt) || 'ohne Namen')
      return
    }
    const words = oneLine(alt).replace(/[\\[\]`*_<&!|]/g, ' ')
    this.isBlank = false
    const text = `![${words.trim()}](${target})`
    this.length += text.length
    this.blocks.runs.push({ ...this.style, code: false, kind: 'raw', text })
  }

  /**
   * Converts the runs since `from` to Unicode superscript or subscript, or else encloses them in `^(…)` or `_(…)`.
   * Changes nothing if they contain code, a picture or a line break.
   */
  endScript(place: 'sub' | 'sup', from: number): void {
    const { runs } = this.blocks
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

  endRuby(from: number): void {
    const { runs } = this.blocks
    // If the element started in a code block, no opening bracket was written.
    if (runs[from]?.text !== '(') return
    if (runs.slice(from + 1).every(({ text }) => text.trim() === '')) runs.length = Math.min(from, runs.length)
    else this.push(')')
  }
}

function hardBlanks(blanks: string): string {
  return blanks.replaceAll('\t', '    ').replaceAll(' ', '\u00a0')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the characters to remove
const HAS_CONTROLS = /[\0-\x08\x0b\x0e-\x1f\x7f\ufeff]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the characters to remove
const CONTROLS = /[\0-\x08\x0b\x0e-\x1f\x7f\ufeff]/g

function languageOf(names = ''): string {
  return /(?:^|\s)(?:lang|language)-([\w+#-]{1,20})(?:\s|$)/.exec(names)?.[1] ?? ''
}

/** Returns the last segment of an address, for display; a fixed name for a data URL. */
function shortName(address: string): string {
  if (/^data:/i.test(address)) return 'eingebettet'
  return oneLine(address.slice(0, 2_000).split(/[\\/]/).at(-1) ?? '').slice(0, MAX_NAME_LENGTH)
}

function oneLine(text: string): string {
  return text
    .slice(0, MAX_DESCRIPTION_LENGTH)
    .replace(/[\s\p{Cc}[\]]+/gu, ' ')
    .trim()
}
