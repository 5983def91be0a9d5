import { pictureAddress } from './picture-address.js'

export interface InlinePart {
  kind: 'text' | 'code' | 'strong' | 'picture'
  /** Of a picture what it shows. */
  text: string
  /** Where a picture is had; not when a cut has taken it away. */
  address?: string | undefined
}

/** More than anybody reads in a line; it bounds the work for a text of any length too. */
const MAX_LENGTH = 300

/** A fence, code, bold, a kept picture; then what a cut has left open of code, bold and a picture. */
const MARKS =
  /(`{3,})[^\n`]*\n([\s\S]*?)(?:\n?\1`*|$)|(`+)([^`]|[^`][\s\S]*?[^`])\3(?!`)|\*\*(?=\S)([\s\S]+?)\*\*|!\[((?:[^\]\\]|\\[\s\S])*)\]\((media\/[\w.]+)(?:\s+"[^"\n]*")?\)|`+([^`]+\.\.\.)$|\*\*([^*]+\.\.\.)$|!\[([^\]]*)(?:\]\([\w./]*)?(?:\.\.\.| …)$/g

/**
 * A short text of Markdown as pieces for one line: code, bold and the rest as it stands. It may have been cut in the
 * middle, as the options of a quiz are: a fence that never ends is code to the end.
 */
export function inlineParts(source: string, maxLength = MAX_LENGTH): InlinePart[] {
  const characters = [...source.slice(0, 2 * maxLength)]
  const isCut = characters.length > maxLength || source.length > 2 * maxLength
  const text = isCut ? `${characters.slice(0, maxLength).join('').trimEnd()} …` : source
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

/** The same without any marks, for titles and names. */
export function plainText(source: string, maxLength = MAX_LENGTH): string {
  return inlineParts(source, maxLength)
    .map(({ text }) => text)
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
