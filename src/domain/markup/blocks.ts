import { fence } from './escape.js'
import { Grid } from './grid.js'
import { makeRun, type Run, writeLine, writeParagraphs } from './inline.js'

/** A finished block of Markdown, without the marks of what it stands in. */
interface Block {
  kind: 'text' | 'list' | 'rule' | 'other'
  text: string
  /** Of a list: what its marks are made of, so that the next list takes others. */
  mark?: string
}

/** What blocks are collected in; lists and tables have no text of their own. */
export interface Container {
  kind: 'root' | 'quote' | 'list' | 'item' | 'table' | 'cell'
  blocks: Block[]
  runs: Run[]
  /** Of a list: the number of its next item, undefined without numbers. */
  number?: number | undefined
  items?: Container[]
  table?: Grid<Container>
  /** Of a cell: all of its text for one line. */
  flat?: Run[]
  isHead?: boolean
  /** Of a cell: how many columns and rows it reaches over. */
  columns?: number
  lines?: number
}

const SPACE: Run = { kind: 'text', text: ' ', bold: false, italic: false, code: false, href: undefined }

/** Collects the text of a document and writes its blocks as Markdown. */
export class Blocks {
  readonly #stack: Container[] = [{ kind: 'root', blocks: [], runs: [] }]

  get top(): Container {
    return this.#stack.at(-1) as Container
  }

  get depth(): number {
    return this.#stack.length
  }

  /** The runs of the paragraph that is being written. */
  get runs(): Run[] {
    return this.top.runs
  }

  /** Whether text would stand at the beginning of a line. */
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
    for (const text of writeParagraphs(top.runs)) top.blocks.push({ kind: 'text', text })
    this.#flatten(top.runs)
    top.runs = []
  }

  addCode(text: string, language: string): void {
    this.endParagraph()
    this.top.blocks.push({ kind: 'other', text: fence(text, language) })
    this.#flatten([{ ...SPACE, code: true, text }])
  }

  addRule(): void {
    this.endParagraph()
    // At the beginning it would divide nothing.
    if (this.depth > 1 || this.top.blocks.length > 0) this.top.blocks.push({ kind: 'rule', text: '---' })
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

  /** Ends the container on top and hands its text to the one below. */
  close(): void {
    this.endParagraph()
    const done = this.#stack.pop() as Container
    const { top } = this
    if (done.kind === 'item') top.items?.push(done)
    else if (done.kind === 'cell') top.table?.add(done, done.columns ?? 1, done.lines ?? 1)
    else if (done.kind === 'list') writeList(done, top)
    else if (done.kind === 'table') {
      const table = done.table as Grid<Container>
      writeTable(table, top)
      this.#flatten(table.rows.flatMap(({ cells }) => cells.flatMap((cell) => cell?.flat ?? [])))
    } else if (done.kind === 'quote' && done.blocks.length > 0) {
      top.blocks.push({ kind: 'other', text: prefix(join(done.blocks), '> ', '> ') })
    }
  }

  /** The whole document; ends all containers. */
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

/** What stands before the next item of a list that has to fit into a line. */
function markOf({ number, items = [] }: Container): string {
  return number === undefined ? '•' : `${number + items.length}.`
}

function writeList({ items = [], number }: Container, parent: Container): void {
  const full = items.filter(({ blocks }) => blocks.length > 0)
  if (full.length === 0) return
  // Two lists in a row with the same marks would be one.
  const last = parent.blocks.at(-1)
  const marks = number === undefined ? ['-', '+'] : ['.', ')']
  const mark = last?.kind === 'list' && last.mark === marks[0] ? (marks[1] as string) : (marks[0] as string)
  const lines = full.map(({ blocks }, index) => {
    const start = number === undefined ? `${mark} ` : `${number + index}${mark} `
    return prefix(joinItem(blocks), start, ' '.repeat(start.length))
  })
  parent.blocks.push({ kind: 'list', text: lines.join('\n'), mark })
}

/** A list below a line stands close to it. */
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

/** A table of one column only lays out the page. Without headings the row for them stays empty. */
function writeTable({ rows }: Grid<Container>, parent: Container): void {
  const full = rows.filter(({ cells }) => cells.some((cell) => (cell?.blocks.length ?? 0) > 0))
  const columns = full.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  if (columns <= 1) {
    for (const { cells } of full) for (const block of cells[0]?.blocks ?? []) parent.blocks.push(block)
    return
  }
  const [first] = full
  const isHead = first !== undefined && (first.isHead || first.cells.every((cell) => cell?.isHead ?? true))
  const head = isHead ? first.cells.map(writeCell) : []
  while (head.length < columns) head.push('')
  const body = isHead ? full.slice(1) : full
  // Short rows mean the same, but come back longer from other programs.
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
  parent.blocks.push({ kind: 'other', text: lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n') })
}

function writeCell(cell: Container | undefined): string {
  return writeLine(cell?.flat ?? [], true)
}
