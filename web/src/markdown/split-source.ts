/** Length in characters above which a piece without headings is cut after a blank line */
const LONG_PIECE = 16_000
/** Maximum total length in characters of the repeated link definitions */
const MAX_REPEATED = 2_000_000
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^#{1,6}(?:[ \t]|$)/
const HEADING_LINE = /^#{1,6}(?:[ \t].*)?(?:\n|$)/
const DEFINITION = /^ {0,3}\[[^\]]+\]:\s*(?:<[^>]*>|[^\s<]\S*)(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*$/

/**
 * Splits Markdown into pieces that can be rendered independently. Cuts before headings, and in long pieces also before
 * unindented lines that follow a blank line, but not within fenced code. Repeats the link definitions in each piece,
 * unless the copies would add more than `MAX_REPEATED` characters.
 * @example splitSource('# A\ntext\n# B\n') // ['# A\ntext\n', '# B\n']
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
  const known = `\n${definitions.map((line) => line.trimEnd()).join('\n')}\n\n`
  // Repeating thousands of definitions in thousands of pieces would take too long.
  if (pieces.length * known.length > MAX_REPEATED) return pieces
  // Inserts the definitions below the heading, because the end of a piece may be in an unclosed code block.
  return pieces.map((text) => {
    const heading = HEADING_LINE.exec(text)?.[0] ?? ''
    return heading.trimEnd() + known + text.slice(heading.length)
  })
}
