/** Length in characters after which a piece without headings is cut at the next blank line */
const LONG_PIECE = 16_000
/** Maximum number of characters of repeated definitions */
const MAX_REPEATED = 2_000_000
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^#{1,6}(?:[ \t]|$)/
const DEFINITION = /^ {0,3}\[[^\]]+\]:\s*\S/

/**
 * Splits Markdown into pieces that can be rendered independently. Splits before each heading, and at a blank line after
 * `longPiece` characters, but never inside of a fenced code block. Appends the link definitions of the text to each
 * piece, unless they would add more than `MAX_REPEATED` characters.
 */
export function splitSource(source: string, longPiece = LONG_PIECE): string[] {
  const pieces: string[] = []
  let piece = ''
  let fence: string | undefined
  let isAfterEmptyLine = false
  const definitions: string[] = []
  for (const line of source.split(/(?<=\n)/)) {
    const isHeading = HEADING.test(line)
    const isCut = isHeading || (isAfterEmptyLine && piece.length > longPiece && /^\S/.test(line))
    if (fence === undefined && isCut && piece !== '') {
      pieces.push(piece)
      piece = ''
    }
    piece += line
    const mark = FENCE.exec(line)?.[1]
    if (fence === undefined) {
      fence = mark
      if (DEFINITION.test(line)) definitions.push(line)
    } else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
    isAfterEmptyLine = line.trim() === ''
  }
  if (piece !== '') pieces.push(piece)
  if (definitions.length === 0 || pieces.length === 1) return pieces
  const known = `\n\n${definitions.join('')}`
  // Repeating thousands of definitions in thousands of pieces would take too long.
  if (pieces.length * known.length > MAX_REPEATED) return pieces
  return pieces.map((text) => text + known)
}
