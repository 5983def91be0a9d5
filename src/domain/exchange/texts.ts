import { convertHtml } from '../markup/index.js'
import { escapePictures, parseMediaTarget, renamePictures, resolvePicture } from '../pictures/index.js'
import { toStorable } from '../text/text.js'
import { type EmbeddedFile, type KeepPicture, type KeptPicture, type RawText, UnsupportedQuestion } from './types.js'

/** Prefix of the address of an embedded file in Moodle */
const EMBEDDED = '@@PLUGINFILE@@/'
const INLINE = /^data:image\/[\w.+-]{1,40};base64,/i
/** `data:` addresses of pictures, which do not count towards the length of a text before its conversion */
const INLINE_PICTURES = /data:image\/[\w.+-]{1,40};base64,[a-z0-9+/=]*/gi
/** Name that `convertHtml` gives to a picture with a `data:` address */
const INLINE_NAME = 'eingebettet'
const NOT_KEPT = { problem: 'wird nicht übernommen' }
const NOT_EMBEDDED = { problem: 'fehlt in der Datei' }

const GAP_START = '\u{fdd8}'
const GAP_END = '\u{fdd9}'
const GAP_MARK = new RegExp(`${GAP_START}(\\d+)${GAP_END}`, 'g')

/**
 * Returns a mark for a gap that survives the conversion to Markdown. The mark begins and ends with Unicode
 * noncharacters, which are not intended for interchange.
 */
export function markGap(index: number): string {
  return `${GAP_START}${index}${GAP_END}`
}

/**
 * Replaces the marks of `markGap` with gaps such as `{{a|b}}`.
 * @param gaps texts by index of the gap, as in a card's answer
 * @example fillGaps(`In ${markGap(0)} Stunden`, [['72', 'zweiundsiebzig']]) // 'In {{72|zweiundsiebzig}} Stunden'
 */
export function fillGaps(markdown: string, gaps: readonly string[][]): string {
  return markdown.replaceAll(GAP_MARK, (_, index: string) => `{{${(gaps[Number(index)] ?? []).join('|')}}}`)
}

export class Texts {
  readonly changes = new Set<string>()
  readonly files = new Set<string>()
  readonly #maxLength: number
  readonly #keepPicture: KeepPicture
  readonly #kept = new Map<EmbeddedFile, KeptPicture>()

  constructor(maxLength: number, keepPicture: KeepPicture = () => NOT_KEPT) {
    this.#maxLength = maxLength
    this.#keepPicture = keepPicture
  }

  /**
   * Converts a text to Markdown.
   * @throws UnsupportedQuestion if the result is longer than `maxLength`, or the text longer than 4 * `maxLength`
   */
  toMarkdown({ text, format, files = [] }: RawText): string {
    const storable = toStorable(text)
    // Refuses very long texts before the conversion, whose time grows with the length.
    if (storable.replaceAll(INLINE_PICTURES, '').length > 4 * this.#maxLength) throw this.#tooLong()
    const markdown =
      format === 'markdown' ? this.#fromMarkdown(storable, files) : this.#fromHtml(toHtml(storable, format), files)
    if (markdown.length > this.#maxLength) throw this.#tooLong()
    for (const file of files) {
      if (!this.#kept.has(file)) this.files.add(`Die Datei „${file.name}“ wird nicht übernommen`)
    }
    return markdown.trim()
  }

  /** Returns Markdown of one line that displays the text literally. */
  toMarkdownLine(text: string): string {
    return this.toMarkdown({ text: text.replaceAll(/\s+/g, ' '), format: 'plain' })
  }

  #tooLong(): UnsupportedQuestion {
    return new UnsupportedQuestion(`Ein Text ist länger als ${this.#maxLength} Zeichen`)
  }

  #fromMarkdown(text: string, files: readonly EmbeddedFile[]): string {
    const stored = new Set<string>()
    const placed = renamePictures(text, ({ target }) => {
      const place = this.#place(target, files)
      if (place !== undefined) stored.add(place)
      return place
    })
    return escapePictures(placed, ({ target }) => {
      if (target.startsWith(EMBEDDED) || INLINE.test(target)) return true
      // An export of this service contains the addresses of stored pictures.
      if (stored.has(target) || parseMediaTarget(target) !== undefined) return false
      if (resolvePicture('', target) === undefined) return false
      this.#reportPicture(target, NOT_EMBEDDED)
      return true
    })
  }

  #fromHtml(html: string, files: readonly EmbeddedFile[]): string {
    const embedded = new Set<string>()
    const { markdown, isTooLong, missing, sounds, isPartial } = convertHtml(html, {
      picture: (src) => {
        if (src.startsWith(EMBEDDED)) embedded.add(src.slice(src.lastIndexOf('/') + 1))
        if (INLINE.test(src)) embedded.add(INLINE_NAME)
        return this.#place(src, files)
      },
      maxLength: this.#maxLength,
    })
    if (isTooLong) throw this.#tooLong()
    for (const name of missing) if (!embedded.has(name)) this.#reportPicture(name, NOT_KEPT)
    if (sounds > 0) this.changes.add('Ein Ton oder Film wird nicht übernommen; sein Name steht im Text')
    if (isPartial) this.changes.add('Unsichtbarer Text wird nicht übernommen')
    return markdown
  }

  /**
   * Stores an embedded picture and returns its address. Returns undefined for a picture that is not embedded. If an
   * embedded picture is missing or cannot be stored, reports the problem and returns undefined.
   */
  #place(src: string, files: readonly EmbeddedFile[]): string | undefined {
    if (INLINE.test(src)) return this.#placeInline(src)
    if (!src.startsWith(EMBEDDED)) return undefined
    const name = resolvePicture('', src.slice(EMBEDDED.length)) ?? src.slice(EMBEDDED.length)
    const file = files.find((file) => file.name === name)
    const kept: KeptPicture = file === undefined ? NOT_EMBEDDED : this.#keep(file)
    if ('target' in kept) return kept.target
    this.#reportPicture(name, kept)
    return undefined
  }

  #placeInline(src: string): string | undefined {
    const kept = this.#keepPicture(Buffer.from(src.replace(INLINE, ''), 'base64'))
    if ('target' in kept) return kept.target
    this.#reportPicture(INLINE_NAME, kept)
    return undefined
  }

  #keep(file: EmbeddedFile): KeptPicture {
    const kept = this.#kept.get(file) ?? this.#keepPicture(Buffer.from(file.base64, 'base64'))
    this.#kept.set(file, kept)
    return kept
  }

  #reportPicture(name: string, { problem }: { problem: string }): void {
    this.files.add(`Das Bild „${name}“ ${problem}; sein Name steht im Text`)
  }
}

function toHtml(text: string, format: RawText['format']): string {
  if (format === 'html') return text
  // As Moodle does: a line break is `<br>`, except next to a tag.
  if (format === 'auto')
    return text
      .replaceAll(/>\s+</g, '><')
      .replaceAll(/\n(?=<)|(?<=>)\n/g, ' ')
      .replaceAll('\n', '<br>')
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>')
}
