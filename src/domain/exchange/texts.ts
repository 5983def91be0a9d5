import { convertHtml } from '../markup/index.js'
import { escapePictures } from '../pictures/index.js'
import { toStorable } from '../text/text.js'
import { NotAskable, type RawText } from './types.js'

/** Prefix with which Moodle refers to an embedded file */
const EMBEDDED = '@@PLUGINFILE@@/'
const GAP_START = '\u{fdd8}'
const GAP_END = '\u{fdd9}'
const GAP_MARK = new RegExp(`${GAP_START}(\\d+)${GAP_END}`, 'g')

/** Returns a mark that survives the conversion to Markdown; noncharacters are in no text. */
export function markGap(index: number): string {
  return `${GAP_START}${index}${GAP_END}`
}

/** Writes the accepted texts at the marks of the gaps. */
export function fillGaps(markdown: string, gaps: readonly string[][]): string {
  return markdown.replaceAll(GAP_MARK, (_, index: string) => `{{${(gaps[Number(index)] ?? []).join('|')}}}`)
}

/** Converts the texts of a question, and collects what is lost. */
export class Texts {
  readonly changes = new Set<string>()
  readonly #maxLength: number

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** @throws NotAskable if the text is too long */
  toMarkdown({ text, format }: RawText): string {
    const storable = toStorable(text)
    // A conversion takes linear time, but not none.
    if (storable.length > 4 * this.#maxLength) throw this.#tooLong()
    const markdown = format === 'markdown' ? this.#keepMarkdown(storable) : this.#fromHtml(toHtml(storable, format))
    if (markdown.length > this.#maxLength) throw this.#tooLong()
    return markdown.trim()
  }

  /** Returns a text on one line that Markdown shows literally. */
  toMarkdownLine(text: string): string {
    return this.toMarkdown({ text: text.replaceAll(/\s+/g, ' '), format: 'plain' })
  }

  #tooLong(): NotAskable {
    return new NotAskable(`Ein Text ist länger als ${this.#maxLength} Zeichen`)
  }

  #keepMarkdown(text: string): string {
    return escapePictures(text, ({ target }) => {
      if (!target.startsWith(EMBEDDED)) return false
      this.#missPicture(target)
      return true
    })
  }

  #fromHtml(html: string): string {
    const { markdown, isTooLong, missing, sounds, isPartial } = convertHtml(html, {
      picture: () => undefined,
      maxLength: this.#maxLength,
    })
    if (isTooLong) throw this.#tooLong()
    for (const name of missing) this.#missPicture(name)
    if (sounds > 0) this.changes.add('Ein Ton oder Film wird nicht übernommen; sein Name steht im Text')
    if (isPartial) this.changes.add('Unsichtbarer Text wird nicht übernommen')
    return markdown
  }

  #missPicture(target: string): void {
    const name = target.startsWith(EMBEDDED) ? target.slice(EMBEDDED.length) : target
    this.changes.add(`Das Bild „${name}“ wird nicht übernommen; sein Name steht im Text`)
  }
}

function toHtml(text: string, format: RawText['format']): string {
  if (format !== 'plain') return text
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>')
}
