import MarkdownIt from 'markdown-it'

export interface PlacedPicture {
  /** Target without Markdown escapes */
  target: string
  /** Position of the `!` in UTF-16 code units */
  from: number
  /** Start of the target in UTF-16 code units; `end` is exclusive. */
  start: number
  end: number
  /** Line of the target, from 0 */
  line: number
}

/**
 * Parser environment. The parser also parses the description of each picture with the same environment. `source` is
 * the text whose pictures are collected, so that pictures in descriptions are ignored.
 */
interface Env {
  source?: string
  found?: FoundPicture[]
  [key: string | symbol]: unknown
}

/** A picture with its positions in the content of a block, where prefixes such as `> ` or `# ` are already removed */
type FoundPicture = Omit<PlacedPicture, 'line'>

/** Part of a block with the same text in the content and in the source. Ends where the next segment starts. */
interface Segment {
  /** Start in the content, in UTF-16 code units */
  from: number
  /** Start in the source, in UTF-16 code units */
  at: number
  line: number
}

interface Line {
  text: string
  start: number
}

const MAX_NESTING = 100
const markdown = new MarkdownIt('commonmark', { maxNesting: MAX_NESTING }).enable('table')

type Rule = ReturnType<typeof markdown.inline.ruler.getRules>[number]
type State = Parameters<Rule>[0]
type Tokens = Parameters<typeof markdown.block.parse>[3]

// The parser drops the position of a target, so its image rule is wrapped to record the position.
const parseImage = markdown.inline.ruler.getRules('').find(({ name }) => name === 'image')
if (parseImage === undefined) throw new Error('markdown-it has no rule for images')
markdown.inline.ruler.at('image', (state, silent) => {
  const from = state.pos
  if (!parseImage(state, silent)) return false
  if (!silent) noteTarget(state, from)
  return true
})

function noteTarget(state: State, from: number): void {
  const { source, found } = state.env as Env
  const token = state.tokens.at(-1)
  if (source !== state.src || token === undefined || token.meta?.label !== undefined) return
  let start = from + '!['.length + token.content.length + ']('.length
  while (/[ \t\n]/.test(state.src[start] ?? '')) start++
  const { ok, pos, str } = markdown.helpers.parseLinkDestination(state.src, start, state.posMax)
  if (ok && pos > start) found?.push({ target: str, from, start, end: pos })
}

/**
 * Returns the inline pictures of a text in order, outside of code and HTML.
 * @example findPictures('![A](a.png)')[0]?.target // 'a.png'
 */
export function findPictures(text: string): PlacedPicture[] {
  // Skips the parser for most texts.
  if (!text.includes('![')) return []
  const lines = splitLines(text)
  const tokens: Tokens = []
  const env: Env = {}
  markdown.block.parse(lines.map(({ text }) => text).join('\n'), markdown, env, tokens)
  const pictures: PlacedPicture[] = []
  let row = 0
  let column = 0
  for (const { type, map, content } of tokens) {
    if (type === 'tr_open') {
      row = map?.[0] ?? 0
      column = 0
    }
    if (type !== 'inline' || content === '') continue
    if (map !== null) {
      for (const picture of place(findInline(content, env), () => segmentBlock(content, lines, map[0]))) {
        pictures.push(picture)
      }
      continue
    }
    // The parser splits a row at bars and removes the backslash before escaped bars.
    const written = content.replaceAll('|', '\\|')
    const cell = (lines[row]?.text ?? '').indexOf(written, column)
    column = cell + written.length
    const at = (lines[row]?.start ?? 0) + cell
    for (const picture of place(findInline(content, env), () => segmentCell(content, at, row))) pictures.push(picture)
  }
  return pictures
}

/**
 * Replaces picture targets; targets for which `rename` returns undefined and all other text stay unchanged.
 * @example renamePictures('![A](a.png)', () => 'b.png') // '![A](b.png)'
 */
export function renamePictures(text: string, rename: (picture: PlacedPicture) => string | undefined): string {
  let renamed = ''
  let done = 0
  for (const picture of findPictures(text)) {
    const target = rename(picture)
    if (target === undefined) continue
    renamed += text.slice(done, picture.start) + target
    done = picture.end
  }
  return renamed + text.slice(done)
}

/** Maximum number of passes over a text. Escaping a picture may turn an unclosed `![` before it into a picture. */
const MAX_PASSES = 4

/**
 * Turns missing pictures into text by escaping their `![` and those in their descriptions. If each of four passes finds
 * missing pictures, escapes every `![` of the text.
 * @param isMissing called for each picture; true turns it into text
 * @example escapePictures('![A](a.png)', () => true) // '!\\[A](a.png)'
 */
export function escapePictures(text: string, isMissing: (picture: PlacedPicture) => boolean): string {
  let escaped = text
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const missing = findPictures(escaped).filter(isMissing)
    if (missing.length === 0) return escaped
    let written = ''
    let done = 0
    for (const { from, start } of missing) {
      written += escaped.slice(done, from) + escaped.slice(from, start).replaceAll('![', '!\\[')
      done = start
    }
    escaped = written + escaped.slice(done)
  }
  return escaped.replaceAll('![', '!\\[')
}

function findInline(content: string, env: Env): FoundPicture[] {
  if (!content.includes('![')) return []
  const found: FoundPicture[] = []
  markdown.inline.parse(content, markdown, { ...env, source: content, found }, [])
  return found
}

function* place(found: FoundPicture[], segment: () => Segment[]): Generator<PlacedPicture> {
  if (found.length === 0) return
  const segments = segment()
  let index = 0
  for (const { target, from: mark, start, end } of found) {
    while ((segments[index + 1]?.from ?? Number.POSITIVE_INFINITY) <= mark) index++
    const before = segments[index] as Segment
    while ((segments[index + 1]?.from ?? Number.POSITIVE_INFINITY) <= start) index++
    const first = segments[index] as Segment
    let last = index
    while ((segments[last + 1]?.from ?? Number.POSITIVE_INFINITY) < end) last++
    const { at, from } = segments[last] as Segment
    const place = before.at + mark - before.from
    yield { target, from: place, start: first.at + start - first.from, end: at + end - from, line: first.line }
  }
}

/**
 * Returns a segment for each line. Finds the content by its last occurrence in the line, because prefixes precede it
 * and only the closing hashes of a heading follow it.
 */
function segmentBlock(content: string, lines: Line[], first: number): Segment[] {
  const segments: Segment[] = []
  let from = 0
  for (const [index, part] of content.split('\n').entries()) {
    const line = lines[first + index] as Line
    const indent = part.length - part.trimStart().length
    segments.push({ from: from + indent, at: line.start + line.text.lastIndexOf(part.trim()), line: first + index })
    from += part.length + 1
  }
  return segments
}

function segmentCell(content: string, at: number, line: number): Segment[] {
  const segments: Segment[] = [{ from: 0, at, line }]
  for (let bar = content.indexOf('|'); bar >= 0; bar = content.indexOf('|', bar + 1)) {
    segments.push({ from: bar, at: at + bar + segments.length, line })
  }
  return segments
}

function splitLines(text: string): Line[] {
  const lines: Line[] = []
  let start = 0
  for (const { 0: end, index } of text.matchAll(/\r\n?|\n/g)) {
    lines.push({ text: text.slice(start, index), start })
    start = index + end.length
  }
  lines.push({ text: text.slice(start), start })
  return lines
}
