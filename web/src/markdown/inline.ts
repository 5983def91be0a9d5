import { pictureAddress } from './picture-address.js'

export interface InlinePart {
  kind: 'text' | 'code' | 'strong' | 'picture'
  /** Text of the part; for a picture, its description */
  text: string
  /** Address of a picture; undefined for other kinds, and for a picture whose end was cut off */
  address?: string | undefined
}

/** Default maximum number of characters */
const MAX_LENGTH = 300

const LAST_WORD = /\s+\S{1,30}$/

/** Fenced code, inline code, bold, a stored picture; then code, bold and a picture whose end was cut off */
const MARKS =
  /(`{3,})[^\n`]*\n([\s\S]*?)(?:\n?\1`*|$)|(`+)([^`]|[^`][\s\S]*?[^`])\3(?!`)|\*\*(?=\S)([\s\S]+?)\*\*|!\[((?:[^\]\\]|\\[\s\S])*)\]\((media\/[\w.]+)(?:\s+"[^"\n]*")?\)|`+([^`]+(?:\.\.\.| …))$|\*\*(?=\S)([^*]+(?:\.\.\.| …))$|!\[([^\]]*)(?:\]\([\w./]*)?(?:\.\.\.| …)$/g

/**
 * Splits a short Markdown text into code, bold, pictures and plain text. A text with more than `maxLength` characters
 * is cut. The service may have cut the text before, for example a quiz option. Unclosed code or bold text therefore
 * extends to the end if the text ends with `...` or ` …`.
 * @example inlineParts('`ls` zeigt') // [{ kind: 'code', text: 'ls' }, { kind: 'text', text: ' zeigt' }]
 */
export function inlineParts(source: string, maxLength = MAX_LENGTH): InlinePart[] {
  const characters = [...source.slice(0, 2 * maxLength)]
  const isCut = characters.length > maxLength || source.length > 2 * maxLength
  const text = isCut ? `${characters.slice(0, maxLength).join('').replace(LAST_WORD, '').trimEnd()} …` : source
  const parts: InlinePart[] = []
  const add = (kind: 'text' | 'code' | 'strong', piece: string) => {
    if (piece !== '') parts.push({ kind, text: kind === 'code' ? piece : piece.replaceAll(/\n{2,}/g, '\n') })
  }
  let end = 0
  for (const match of text.matchAll(MARKS)) {
    add('text', text.slice(end, match.index))
    const [whole, , fenced, , code, strong, alt, target = '', openCode, openStrong, openAlt] = match
    const address = pictureAddress(target)
    if (alt !== undefined && address === undefined) add('text', whole)
    else if (alt !== undefined || openAlt !== undefined)
      parts.push({
        kind: 'picture',
        text: (alt ?? openAlt ?? '').replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '') || 'Bild',
        address,
      })
    else if (fenced !== undefined) add('code', fenced.trimEnd())
    else if (code !== undefined || openCode !== undefined) add('code', code ?? openCode ?? '')
    else add('strong', strong ?? openStrong ?? '')
    end = match.index + whole.length
  }
  add('text', text.slice(end))
  return parts
}

/**
 * Returns the text in one line, for titles and names. Removes the marks of code, bold and stored pictures, and cuts the
 * text after `maxLength` characters. Other Markdown, such as links and lists, stays.
 * @example plainText('**Was** tut `ls`?') // 'Was tut ls?'
 */
export function plainText(source: string, maxLength = MAX_LENGTH): string {
  return inlineParts(source, maxLength)
    .map(({ text }) => text)
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
