import { codeSpan, escapeText } from './escape.js'

export interface Style {
  bold: boolean
  italic: boolean
  code: boolean
  href: string | undefined
}

/** Text in one style; `raw` is finished Markdown, such as a picture. */
export interface Run extends Style {
  kind: 'text' | 'raw' | 'break'
  text: string
  /** Whether italics start or end within a word here, where Markdown knows only `*` and not `_` */
  isItalicInWord?: boolean
}

/** Copies the fields explicitly, which is faster than a spread. */
export function makeRun(kind: Run['kind'], text: string, { bold, italic, code, href }: Style): Run {
  return { kind, text, bold, italic, code, href }
}

export const PLAIN: Style = { bold: false, italic: false, code: false, href: undefined }

const BLANKS = /[ \t\n\r\f\u00a0]+/g
/** White space to collapse; tested first, because most texts contain none and testing is faster than replacing. */
const HAS_BLANKS = /[\t\n\r\f\u00a0]| {2}/

/** Writes runs as paragraphs. A break ends a line, and an empty line ends a paragraph. */
export function writeParagraphs(runs: readonly Run[]): string[] {
  const paragraphs: string[] = []
  let lines: string[] = []
  let line: Run[] = []
  const endLine = () => {
    const text = writeLine(line, false)
    const indent = lines.length === 0 || text === '' ? '' : indentOf(line)
    line = []
    if (text !== '') lines.push(indent + text)
    else if (lines.length > 0) {
      // Two trailing spaces make a hard line break.
      paragraphs.push(lines.join('  \n'))
      lines = []
    }
  }
  for (const run of runs) {
    if (run.kind === 'break') endLine()
    else line.push(run)
  }
  endLine()
  if (lines.length > 0) paragraphs.push(lines.join('  \n'))
  return paragraphs
}

const MAX_INDENT = 40
const MAX_BLANKS = 200

/**
 * Returns the indentation of a line, so that code stays readable. Counts only two or more blanks that include a
 * no-break space, as Anki's editor writes them.
 */
function indentOf(line: readonly Run[]): string {
  let blanks = ''
  for (const { kind, text } of line) {
    if (kind !== 'text') break
    const start = /^[ \t\n\r\f\u00a0]*/.exec(text)?.[0] ?? ''
    blanks += start
    if (start.length < text.length || blanks.length > MAX_BLANKS) break
  }
  const hard = blanks.replace(/^[ \t\n\r\f]+/, '').replace(/[ \t\n\r\f]+/g, ' ')
  return hard.length < 2 || !hard.includes('\u00a0') ? '' : '\u00a0'.repeat(Math.min(hard.length, MAX_INDENT))
}

export function writeLine(runs: readonly Run[], isCell: boolean): string {
  const pieces = merge(spaceOut(runs))
  for (const piece of pieces) if (isUnclearCode(piece, isCell)) piece.code = false
  dropUnclear(pieces, 'italic')
  dropUnclear(pieces, 'bold')
  return emit(merge(pieces), isCell)
}

/** Collapses white space, including no-break spaces, and moves it out of emphasis. */
function spaceOut(runs: readonly Run[]): Run[] {
  const pieces: Run[] = []
  let isSpaced = true
  for (const run of runs) {
    const text = run.kind === 'break' ? ' ' : run.kind === 'raw' ? run.text : collapse(run.text)
    const core = run.kind === 'raw' ? text : text.trim()
    const isLed = core !== text && (core === '' || !text.startsWith(core))
    if (isLed && !isSpaced) pieces.push(blank())
    if (isLed) isSpaced = true
    if (core === '') continue
    // Brackets in code cannot be escaped and would end the link text, so such code is not linked.
    const href = run.code && /[[\]]/.test(core) ? undefined : run.href
    const { bold, italic, code } = run
    pieces.push({ kind: run.kind === 'raw' ? 'raw' : 'text', text: core, bold, italic, code, href })
    isSpaced = false
    if (run.kind !== 'raw' && !text.endsWith(core)) {
      pieces.push(blank())
      isSpaced = true
    }
  }
  if (pieces.at(-1)?.text === ' ') pieces.pop()
  for (const [index, piece] of pieces.entries()) {
    const before = pieces[index - 1]
    const after = pieces[index + 1]
    if (piece.text !== ' ' || before === undefined || after === undefined) continue
    // Because marks are nested, a space has a style only if both neighbours have this style and equal outer styles.
    const isOneLink = before.href === after.href
    piece.href = isOneLink ? before.href : undefined
    piece.bold = isOneLink && before.bold && after.bold
    piece.italic = isOneLink && before.bold === after.bold && before.italic && after.italic
    piece.code = before.code && after.code && isAlike(before, after)
  }
  return pieces
}

function blank(): Run {
  return makeRun('text', ' ', PLAIN)
}

function collapse(text: string): string {
  return HAS_BLANKS.test(text) ? text.replace(BLANKS, ' ') : text
}

/** Merges adjacent pieces of the same style; modifies the pieces. */
function merge(pieces: readonly Run[]): Run[] {
  const merged: Run[] = []
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (last?.kind === 'text' && piece.kind === 'text' && isAlike(last, piece)) last.text += piece.text
    else merged.push(piece)
  }
  return merged
}

function isAlike(a: Style, b: Style): boolean {
  return a.bold === b.bold && a.italic === b.italic && a.code === b.code && a.href === b.href
}

/** Drops emphasis that Markdown cannot express, for example within a word, where the marks would stay visible. */
function dropUnclear(pieces: Run[], style: 'bold' | 'italic'): void {
  for (let start = 0; start < pieces.length; start++) {
    const first = pieces[start] as Run
    if (!first[style]) continue
    let end = start
    while (pieces[end + 1]?.[style] && pieces[end + 1]?.href === first.href) end++
    const last = pieces[end] as Run
    const before = outside(pieces[start - 1], first, -1)
    const after = outside(pieces[end + 1], last, 0)
    const opens = before !== 'word' || (style === 'bold' && inside(first, 0, style) === 'word')
    const closes = after !== 'word' || (style === 'bold' && inside(last, -1, style) === 'word')
    const isClear = opens && closes
    if (style === 'italic' && !isClear && canBeInWord(pieces, start, end)) first.isItalicInWord = true
    else if (!isClear) for (let at = start; at <= end; at++) (pieces[at] as Run)[style] = false
    start = end
  }
}

/**
 * Returns whether italics can be marked with `*` although they start or end within a word. Beside marks of bold text or
 * of other italics, `*` would be ambiguous.
 */
function canBeInWord(pieces: readonly Run[], start: number, end: number): boolean {
  const first = pieces[start] as Run
  const around = [pieces[start - 1], pieces[end + 1]]
  const isAlone = around.every((piece) => !piece?.italic && (piece?.bold ?? false) === first.bold)
  const isEven = pieces.slice(start, end + 1).every(({ bold }) => bold === first.bold)
  return (
    isAlone && isEven && inside(first, 0, 'italic') === 'word' && inside(pieces[end] as Run, -1, 'italic') === 'word'
  )
}

type CharacterClass = 'space' | 'mark' | 'word'

/**
 * Returns the class of the character on the outer side of an emphasis mark. Parsers classify characters beyond 16 bits,
 * such as emoji, differently. For these characters, `outside` and `inside` return the more restrictive class.
 */
function outside(piece: Run | undefined, neighbour: Run, at: 0 | -1): CharacterClass {
  if (piece === undefined) return 'space'
  if (piece.kind === 'raw' || piece.code || piece.href !== neighbour.href) return 'mark'
  return classOf(piece.text.at(at) ?? ' ', 'word')
}

function inside(piece: Run, at: 0 | -1, style: 'bold' | 'italic'): CharacterClass {
  if (piece.kind === 'raw' || piece.code || (style === 'bold' && piece.italic)) return 'mark'
  return classOf(piece.text.at(at) ?? ' ', 'mark')
}

function classOf(unit: string, surrogate: CharacterClass): CharacterClass {
  if (/[\ud800-\udfff]/.test(unit)) return surrogate
  if (/\s/.test(unit)) return 'space'
  return /[\p{P}\p{S}]/u.test(unit) ? 'mark' : 'word'
}

/** Returns whether the run is code with a backslash before a bar in a table cell; parsers disagree on such code. */
function isUnclearCode({ code, text }: Run, isCell: boolean): boolean {
  return code && isCell && text.includes('\\|')
}

/** Writes links outermost, then bold, then italic. */
function emit(pieces: readonly Run[], isCell: boolean): string {
  let text = ''
  let now: Style = PLAIN
  let italicMark: ItalicMark = '_'
  for (const [index, piece] of pieces.entries()) {
    const nextMark: ItalicMark = piece.isItalicInWord ? '*' : now.italic ? italicMark : '_'
    text += switchStyle(now, piece, italicMark, nextMark)
    now = piece
    italicMark = nextMark
    if (piece.kind === 'raw') text += piece.text
    else if (piece.code && !isUnclearCode(piece, isCell)) text += codeSpan(piece.text, isCell)
    else {
      const isLineStart = text === ''
      const isLineEnd = index === pieces.length - 1
      text += escapeText(piece.text, { isLineStart, isLineEnd, isLinked: piece.href !== undefined, isCell })
    }
  }
  return text + switchStyle(now, PLAIN, italicMark)
}

type ItalicMark = '_' | '*'

function switchStyle(from: Style, to: Style, italicMark: ItalicMark, nextMark = italicMark): string {
  const isSameLink = from.href === to.href
  const isSameBold = isSameLink && from.bold === to.bold
  const isSameItalic = isSameBold && from.italic === to.italic
  let marks = ''
  if (from.italic && !isSameItalic) marks += italicMark
  if (from.bold && !isSameBold) marks += '**'
  if (from.href !== undefined && !isSameLink) marks += `](${from.href})`
  if (to.href !== undefined && !isSameLink) marks += '['
  if (to.bold && !isSameBold) marks += '**'
  if (to.italic && !isSameItalic) marks += nextMark
  return marks
}
