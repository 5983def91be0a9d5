import { fence } from './escape.js'
import { Grid } from './grid.js'
import { makeRun, type Run, writeLine, writeParagraphs } from './inline.js'

/** A finished block of Markdown, without the prefixes of its containers. */
interface Block {
  kind: 'text' | 'list' | 'rule' | 'other'
  text: string
  /** Marker of a list; an adjacent list must use a different marker */
  mark?: string
}

export interface Container {
  kind: 'root' | 'quote' | 'list' | 'item' | 'table' | 'cell'
  blocks: Block[]
  runs: Run[]
  /** In a list: number of the first item; undefined for bullets */
  number?: number | undefined
  items?: Container[]
  table?: Grid<Container>
  /** In a cell: all runs of its content, to be written on one line */
  flat?: Run[]
  isHead?: boolean
  /** In a cell: number of spanned columns and rows */
  columns?: number
  lines?: number
}

const SPACE: Run = { kind: 'text', text: ' ', bold: false, italic: false, code: false, href: undefined }

export class Blocks {
  readonly #stack: Container[] = [{ kind: 'root', blocks: [], runs: [] }]

  get top(): Container {
    return this.#stack.at(-1) as Container
  }

  get depth(): number {
    return this.#stack.length
  }

  get runs(): Run[] {
    return this.top.runs
  }

  get isAtLineStart(): boolean {
    const last = this.runs.at(-1)
    return last === undefined || last.kind === 'break'
  }

  startLine(style: Omit<Run, 'kind' | 'text'>): void {
    if (!this.isAtLineStart) this.runs.push(makeRun('break', '', style))
  }

  endParagraph(): void {
    const { top } = this
    if (top.runs.length === 0) return
    const place = this.#place()
    for (const text of writeParagraphs(top.runs)) place.push({ kind: 'text', text })
    this.#flatten(top.runs)
    top.runs = []
  }

  /**
   * Returns the blocks to which the next block is added. Between the items of a list, this is the content of the
   * previous item; before the first item, the content around the list. Between the cells of a table, it is the content
   * around the table, because browsers show such text there.
   */
  #place(at = this.#stack.length - 1): Block[] {
    const { kind, items, blocks } = this.#stack[at] as Container
    if (kind === 'table') return this.#place(at - 1)
    return kind === 'list' ? (items?.at(-1)?.blocks ?? this.#place(at - 1)) : blocks
  }

  addCode(text: string, language: string): void {
    this.endParagraph()
    this.#place().push({ kind: 'other', text: fence(text, language) })
    this.#flatten([{ ...SPACE, code: true, text }])
  }

  addRule(): void {
    this.endParagraph()
    // A rule at the beginning of the document separates nothing, so it is omitted.
    const place = this.#place()
    if (this.depth > 1 || place.length > 0) place.push({ kind: 'rule', text: '---' })
  }

  open(container: Omit<Container, 'blocks' | 'runs' | 'items' | 'table' | 'flat'>): void {
    this.endParagraph()
    const { kind } = container
    const opened: Container = { ...container, blocks: [], runs: [] }
    if (kind === 'list') opened.items = []
    else if (kind === 'item') this.#flatten([{ ...SPACE, text: markOf(this.top) }])
    else if (kind === 'table') opened.table = new Grid()
    else if (kind === 'cell') opened.flat = []
    this.#stack.push(opened)
  }

  startRow(isHead: boolean): void {
    this.top.table?.startRow(isHead)
  }

  close(): void {
    this.endParagraph()
    const done = this.#stack.pop() as Container
    const { top } = this
    if (done.kind === 'item') top.items?.push(done)
    else if (done.kind === 'cell') top.table?.add(done, done.columns ?? 1, done.lines ?? 1)
    else if (done.kind === 'list') writeList(done, this.#place())
    else if (done.kind === 'table') {
      const table = done.table as Grid<Container>
      writeTable(table, this.#place())
      this.#flatten(table.rows.flatMap(({ cells }) => cells.flatMap((cell) => cell?.flat ?? [])))
    } else if (done.kind === 'quote' && done.blocks.length > 0) {
      this.#place().push({ kind: 'other', text: prefix(join(done.blocks), '> ', '> ') })
    }
  }

  finish(): string {
    while (this.depth > 1) this.close()
    this.endParagraph()
    const { blocks } = this.top
    while (blocks.at(-1)?.kind === 'rule') blocks.pop()
    return join(blocks)
  }

  #flatten(runs: readonly Run[]): void {
    const cell = this.#stack.findLast(({ kind }) => kind === 'cell')
    if (cell?.flat === undefined) return
    for (const run of runs) cell.flat.push(run)
    cell.flat.push(SPACE)
  }
}

function join(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => text).join('\n\n')
}

/** Returns the marker of the next item of a list in a table cell, where the whole list is written on one line. */
function markOf({ number, items = [] }: Container): string {
  return number === undefined ? '•' : `${number + items.length}.`
}

function writeList({ items = [], number }: Container, place: Block[]): void {
  const full = items.filter(({ blocks }) => blocks.length > 0)
  if (full.length === 0) return
  // Adjacent lists with the same marker would merge.
  const last = place.at(-1)
  const marks = number === undefined ? ['-', '+'] : ['.', ')']
  const mark = last?.kind === 'list' && last.mark === marks[0] ? (marks[1] as string) : (marks[0] as string)
  const lines = full.map(({ blocks }, index) => {
    const start = number === undefined ? `${mark} ` : `${number + index}${mark} `
    return prefix(joinItem(blocks), start, ' '.repeat(start.length))
  })
  place.push({ kind: 'list', text: lines.join('\n'), mark })
}

/** Joins the blocks of a list item. A nested list follows a paragraph without a blank line where Markdown allows it. */
function joinItem(blocks: readonly Block[]): string {
  let text = ''
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1]
    const isClose = before?.kind === 'text' && block.kind === 'list' && /^[-+] |^1[.)] /.test(block.text)
    text += index === 0 ? block.text : `${isClose ? '\n' : '\n\n'}${block.text}`
  }
  return text
}

function prefix(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first : line === '' ? others.trimEnd() : others) + line)
    .join('\n')
}

const MAX_PADDED = 10_000

/**
 * Writes a table, or only the content of its cells if the table has a single column. Adds an empty header row if the
 * first row is not a header.
 */
function writeTable({ rows }: Grid<Container>, place: Block[]): void {
  const full = rows.filter(({ cells }) => cells.some((cell) => (cell?.blocks.length ?? 0) > 0))
  const columns = full.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  if (columns <= 1) {
    for (const { cells } of full) for (const block of cells[0]?.blocks ?? []) place.push(block)
    return
  }
  const [first] = full
  const isHead = first !== undefined && (first.isHead || first.cells.every((cell) => cell?.isHead ?? true))
  const head = isHead ? first.cells.map(writeCell) : []
  while (head.length < columns) head.push('')
  const body = isHead ? full.slice(1) : full
  // Short rows are padded, except in large tables. Markdown does not require the padding.
  const isPadded = columns * full.length <= MAX_PADDED
  const lines = [
    head,
    Array<string>(columns).fill('---'),
    ...body.map(({ cells }) => {
      const written = cells.map(writeCell)
      while (isPadded && written.length < columns) written.push('')
      return written
    }),
  ]
  place.push({ kind: 'other', text: lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n') })
}

function writeCell(cell: Container | undefined): string {
  return writeLine(cell?.flat ?? [], true)
}
