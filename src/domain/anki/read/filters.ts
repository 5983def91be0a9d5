import { clozeOnly, renderClozes } from './cloze.js'

export interface TemplateSide {
  side: 'front' | 'back'
  /** Number of the requested gap, from 1; undefined if the note type has no gaps */
  cloze: number | undefined
}

/**
 * Applies one template filter to a field's HTML. Type-in fields are empty on the front; fields to be read aloud are
 * empty on both sides. Unknown filters, such as those of add-ons, return the HTML unchanged.
 * @param isTyped whether the field also has the filter `type`; if so, `cloze` returns only the content of the gap
 * @example applyFilter('text', '<b>fett</b>', { side: 'back', cloze: undefined }, false) // 'fett'
 */
export function applyFilter(filter: string, html: string, { side, cloze }: TemplateSide, isTyped: boolean): string {
  switch (filter) {
    case 'text':
      return stripHtml(html)
    case 'cloze':
      if (cloze === undefined) return ''
      return isTyped ? clozeOnly(html, cloze) : renderClozes(html, cloze, side)
    case 'cloze-only':
      return cloze === undefined ? '' : clozeOnly(html, cloze)
    case 'type':
      return side === 'front' ? '' : html
    case 'furigana':
      return readings(html, (base, reading) => `<ruby>${base}<rt>${reading}</rt></ruby>`)
    case 'kanji':
      return readings(html, (base) => base)
    case 'kana':
      return readings(html, (_, reading) => reading)
    default:
      return /^tts(?:\s|-voices|$)/.test(filter) ? '' : html
  }
}

/**
 * Replaces Japanese readings such as `漢字[かんじ]` with the result of `write`. The base, such as `漢字`, begins at the start
 * of the HTML, or after a space, a tag or another reading.
 */
function readings(html: string, write: (base: string, reading: string) => string): string {
  let written = ''
  let done = 0
  for (let open = html.indexOf('['); open >= 0; open = html.indexOf('[', open + 1)) {
    let base = open
    while (base > done && !/[ >\]]/.test(html[base - 1] as string)) base--
    const close = html.indexOf(']', open)
    if (close < 0) break
    const reading = html.slice(open + 1, close)
    if (base === open || reading === '' || reading.startsWith('sound:')) continue
    const isSpaced = html[base - 1] === ' ' && base > done
    written += html.slice(done, isSpaced ? base - 1 : base) + write(html.slice(base, open), reading)
    done = close + 1
    open = close
  }
  return written + html.slice(done)
}

/**
 * Removes tags and comments from HTML; entities stay encoded.
 * @example stripHtml('<b>a</b> &amp;') // 'a &amp;'
 */
export function stripHtml(html: string): string {
  let text = ''
  let done = 0
  for (let open = html.indexOf('<'); open >= 0; open = html.indexOf('<', done)) {
    const isComment = html.startsWith('<!--', open)
    const close = isComment ? html.indexOf('-->', open) : html.indexOf('>', open)
    if (close < 0) break
    text += html.slice(done, open)
    done = close + (isComment ? 3 : 1)
  }
  return text + html.slice(done)
}

/**
 * Returns whether a field counts as empty in a template, because it contains only white space, line breaks and `div`
 * tags. A field of more than 1,000 UTF-16 code units never counts as empty.
 */
export function isEmptyField(html: string): boolean {
  return /^(?:\s|&nbsp;|<\/?(?:br|div)\s*\/?>)*$/i.test(html.slice(0, 1_000)) && html.length <= 1_000
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
