export interface TextSelection {
  value: string
  start: number
  end: number
}

/** An edit: `insert` replaces the text from `from` to `to`; `start` and `end` are the selection afterwards. */
export interface Edit {
  from: number
  to: number
  insert: string
  start: number
  end: number
}

export type Command = (text: TextSelection) => Edit

const PARAGRAPHS = /(\n{2,})/
const ITEM = /^(\s*)([-*+]|\d+[.)])( \[[ x]\])?[ \t]+/

/**
 * Returns a command that toggles emphasis. Each paragraph of the selection gets its own marks, because emphasis ends
 * with the paragraph.
 */
function emphasis(mark: '*' | '**'): Command {
  return (text) => {
    const { value, start, end } = withoutEdges(text)
    const chosen = value.slice(start, end)
    const outside = Math.min(runBefore(value, start, '*'), runAfter(value, end, '*'))
    if (isMarked(outside, mark)) return replace(start - mark.length, end + mark.length, chosen, 0, chosen.length)
    const inside = chosen.length > 1 ? Math.min(runAfter(chosen, 0, '*'), runBefore(chosen, chosen.length, '*')) : 0
    if (isMarked(inside, mark) && chosen.length > 2 * mark.length) {
      const bare = chosen.slice(mark.length, -mark.length)
      return replace(start, end, bare, 0, bare.length)
    }
    if (!PARAGRAPHS.test(chosen)) {
      return replace(start, end, `${mark}${chosen}${mark}`, mark.length, mark.length + chosen.length)
    }
    const pieces = chosen.split(PARAGRAPHS).map((piece) => (piece.trim() === '' ? piece : `${mark}${piece}${mark}`))
    return replace(start, end, pieces.join(''), 0, pieces.join('').length)
  }
}

/** Returns whether a run of asterisks contains the mark; a run of three is bold and italic at once. */
function isMarked(run: number, mark: '*' | '**'): boolean {
  return mark === '*' ? run === 1 || run === 3 : run === 2 || run === 3
}

export const bold = emphasis('**')
export const italic = emphasis('*')

/**
 * Toggles inline code; a selection with several lines becomes a code block. The marks are longer than any run of
 * backticks in the selection.
 */
export function code(text: TextSelection): Edit {
  const { value, start, end } = withoutEdges(text)
  const chosen = value.slice(start, end)
  if (chosen.includes('\n')) return codeBlock(text)
  const outside = Math.min(runBefore(value, start, '`'), runAfter(value, end, '`'))
  if (outside > 0) return replace(start - outside, end + outside, chosen, 0, chosen.length)
  const marks = '`'.repeat(longestRun(chosen) + 1)
  const space = chosen.startsWith('`') || chosen.endsWith('`') ? ' ' : ''
  const at = marks.length + space.length
  return replace(start, end, `${marks}${space}${chosen}${space}${marks}`, at, at + chosen.length)
}

export function codeBlock(text: TextSelection): Edit {
  const { from, to, lines } = selectedLines(text)
  const fence = '`'.repeat(Math.max(3, longestRun(lines) + 1))
  return block(text.value, from, to, `${fence}\n${lines}\n${fence}`, fence.length + 1, lines.length)
}

/** Inserts a link. A selected address becomes the target; other selected text becomes the label. */
export function link(text: TextSelection): Edit {
  const { value, start, end } = withoutEdges(text)
  const chosen = value.slice(start, end)
  if (isAddress(chosen)) return replace(start, end, `[](${chosen})`, 1, 1)
  return linkTo(value, start, end, 'https://')
}

/**
 * Makes the selection a link to a pasted address. Returns undefined if the selection cannot be a label or the pasted
 * text is not an address.
 */
export function pasteAddress({ value, start, end }: TextSelection, address: string): Edit | undefined {
  const chosen = value.slice(start, end)
  if (chosen.trim() === '' || chosen.includes('\n') || isAddress(chosen) || !isAddress(address)) return undefined
  const edit = linkTo(value, start, end, address.trim())
  return { ...edit, start: edit.end + 1, end: edit.end + 1 }
}

function linkTo(value: string, start: number, end: number, address: string): Edit {
  const chosen = value.slice(start, end)
  // Without a label, the caret is placed where the label is to be typed.
  if (chosen === '') return replace(start, end, `[](${address})`, 1, 1)
  const at = chosen.length + 3
  return replace(start, end, `[${chosen}](${address})`, at, at + address.length)
}

export function list(text: TextSelection): Edit {
  const { from, to, lines } = selectedLines(text)
  const rows = lines.split('\n')
  const isList = rows.some((row) => row.trim() !== '') && rows.every((row) => row.trim() === '' || /^\s*- /.test(row))
  const changed = rows.map((row) => {
    if (isList) return row.replace(/^(\s*)- /, '$1')
    return row.trim() === '' && rows.length > 1 ? row : `- ${row}`
  })
  const insert = changed.join('\n')
  return text.start === text.end
    ? replace(from, to, insert, insert.length, insert.length)
    : replace(from, to, insert, 0, insert.length)
}

export function table({ value, start, end }: TextSelection): Edit {
  const first = 'Spalte 1'
  return block(value, start, end, `| ${first} | Spalte 2 |\n| --- | --- |\n|  |  |`, 2, first.length)
}

export function insertBlock({ value, start, end }: TextSelection, content: string): Edit {
  return block(value, start, end, content, content.length, 0)
}

/**
 * Inserts text in place of the selection. After a row of a table it becomes a block of its own, because it would
 * otherwise belong to the table.
 */
export function insertText(text: TextSelection, content: string): Edit {
  const { value, start, end } = text
  const before = value.slice(0, start)
  const written = before.trimEnd()
  const isNextLine = before.slice(written.length).split('\n').length <= 2
  const isBelow = isNextLine && /^ {0,3}\|/.test(written.slice(lineStart(written, written.length)))
  const isAtEnd = /^[ \t]*(?:\n|$)/.test(value.slice(end))
  return isBelow && isAtEnd ? insertBlock(text, content) : replace(start, end, content, content.length, content.length)
}

export function picture({ value, start, end }: TextSelection, address: string): Edit {
  const alt =
    value
      .slice(start, end)
      .replaceAll(/[[\]\n]/g, ' ')
      .trim() || 'Bild'
  return replace(start, end, `![${alt}](${address})`, 2, 2 + alt.length)
}

/**
 * Continues a list item in the next line, or ends the list after an empty item. Returns undefined outside of lists or
 * if text is selected.
 */
export function continueList({ value, start, end }: TextSelection): Edit | undefined {
  if (start !== end) return undefined
  const from = lineStart(value, start)
  const line = value.slice(from, start)
  const [marker, space = '', sign = '', box = ''] = ITEM.exec(line) ?? []
  if (marker === undefined) return undefined
  if (line.length === marker.length && !/^[^\n]/.test(value.slice(start))) return replace(from, start, '', 0, 0)
  const next = /^\d/.test(sign) ? `${Number.parseInt(sign, 10) + 1}${sign.slice(-1)}` : sign
  const insert = `\n${space}${next}${box && ' [ ]'} `
  return replace(start, end, insert, insert.length, insert.length)
}

/** Creates an edit; `start` and `end` are relative to `from`. */
function replace(from: number, to: number, insert: string, start: number, end: number): Edit {
  return { from, to, insert, start: from + start, end: from + end }
}

/** Inserts a block between blank lines; `at` and `length` are the selection within the block. */
function block(value: string, from: number, to: number, content: string, at: number, length: number): Edit {
  const before = value.slice(0, from)
  const after = value.slice(to)
  const above = before.trim() === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  const below = after.trim() === '' || after.startsWith('\n\n') ? '' : after.startsWith('\n') ? '\n' : '\n\n'
  return replace(from, to, above + content + below, above.length + at, above.length + at + length)
}

function selectedLines({ value, start, end }: TextSelection): { from: number; to: number; lines: string } {
  const from = lineStart(value, start)
  // If the selection ends at the start of a line, that line is not included.
  const last = end > start && value[end - 1] === '\n' ? end - 1 : end
  const next = value.indexOf('\n', last)
  const to = next === -1 ? value.length : next
  return { from, to, lines: value.slice(from, to) }
}

/** Returns the start of a line. Position 0 is a special case, because `lastIndexOf` treats -1 like 0. */
const lineStart = (value: string, at: number) => (at === 0 ? 0 : value.lastIndexOf('\n', at - 1) + 1)

/** Excludes white space at both ends from the selection, because Markdown marks next to white space have no effect. */
function withoutEdges({ value, start, end }: TextSelection): TextSelection {
  const chosen = value.slice(start, end)
  if (chosen.trim() === '') return { value, start, end: chosen === '' ? end : start }
  return {
    value,
    start: start + chosen.length - chosen.trimStart().length,
    end: end - (chosen.length - chosen.trimEnd().length),
  }
}

const isAddress = (text: string) => /^https?:\/\/\S+$/.test(text.trim())

function runBefore(value: string, at: number, sign: string): number {
  let length = 0
  while (value[at - 1 - length] === sign) length++
  return length
}

function runAfter(value: string, at: number, sign: string): number {
  let length = 0
  while (value[at + length] === sign) length++
  return length
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
}
