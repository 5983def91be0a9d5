import { type Block, findBlocks } from './markdown.js'

/** A part of a document: a `##` heading and what follows it up to the next, or what stands before the first. */
export interface Section {
  /** The text of the heading, undefined before the first one. */
  heading: string | undefined
  /** The line of the heading, or the first line of the document; counts from 0. */
  line: number
  /** The lines below the heading. */
  lines: string[]
  /** The blocks below the heading; their lines count from 0 within `lines`. */
  blocks: Block[]
}

/** Parsed in a few milliseconds. */
const WINDOW = 2 ** 16

/**
 * Cuts a document at its `##` headings (ATX, at the top level). Such a heading ends every block before it, so the
 * document is parsed piece by piece, each piece beginning with a heading: the memory used does not grow with it.
 */
export function* splitSections(source: string, window = WINDOW): Generator<Section> {
  let from = 0
  let line = 0
  let length = window
  while (from < source.length) {
    const newline = source.indexOf('\n', from + length - 1)
    const to = newline < 0 ? source.length : newline + 1
    const piece = source.slice(from, to)
    const lines = piece.split('\n')
    const blocks = findBlocks(piece)
    const atEnd = to === source.length
    const last = atEnd
      ? lines.length
      : (blocks.findLast((block) => isSectionHeading(block) && block.line > 0)?.line ?? 0)
    if (last === 0) {
      // A heading seen later on belongs to a piece that begins here.
      length *= 2
      continue
    }
    yield* cut(lines.slice(0, last), blocks, line)
    from = atEnd ? to : to - lines.slice(last).join('\n').length
    line += last
    length = window
  }
}

function isSectionHeading(block: Block): boolean {
  return block.heading?.depth === 2
}

function* cut(lines: string[], blocks: Block[], firstLine: number): Generator<Section> {
  let section: Section = { heading: undefined, line: firstLine, lines: [], blocks: [] }
  let start = 0
  for (const block of blocks) {
    if (block.line >= lines.length) break
    if (!isSectionHeading(block)) {
      section.blocks.push({ ...block, line: block.line - start, end: block.end - start })
      continue
    }
    section.lines = lines.slice(start, block.line)
    if (block.line > 0) yield section
    start = block.line + 1
    section = { heading: block.heading?.text, line: firstLine + block.line, lines: [], blocks: [] }
  }
  section.lines = lines.slice(start)
  yield section
}
