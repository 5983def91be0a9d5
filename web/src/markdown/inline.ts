import { pictureAddress } from './picture-address.js'

export interface InlinePart {
  kind: 'text' | 'code' | 'strong' | 'picture'
  /** Description of a picture */
  text: string
  /** Address of a picture; undefined if the text was cut within it */
  address?: string | undefined
}

/** Longer than any visible line; bounds the work for long texts. */
const MAX_LENGTH = 300

/** Incomplete last word of a cut text, up to 30 characters */
const LAST_WORD = /\s+\S{1,30}$/

/** Fenced code, inline code, bold, a stored picture; then code, bold and a picture whose end was cut off */
const MARKS =
  /(`{3,})[^\n`]*\n([\s\S]*?)(?:\n?\1`*|$)|(`+)([^`]|[^`][\s\S]*?[^`])\3(?!`)|\*\*(?=\S)([\s\S]+?)\*\*|!\[((?:[^\]\\]|\\[\s\S])*)\]\((media\/[\w.]+)(?:\s+"[^"\n]*")?\)|`+([^`]+\.\.\.)$|\*\*([^*]+\.\.\.)$|!\[([^\]]*)(?:\]\([\w./]*)?(?:\.\.\.| …)$/g

/**
 * Splits a short Markdown text into pieces for one line: code, bold, pictures and plain text. The text may have been
 * cut, like quiz options: an unclosed fence is code to the end.
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

/** Returns the text without marks, for titles and names. */
export function plainText(source: string, maxLength = MAX_LENGTH): string {
  return inlineParts(source, maxLength)
    .map(({ text }) => text)
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
