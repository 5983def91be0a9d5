import { type Block, findBlocks } from './blocks.js'

/** A `##` heading with the text up to the next `##` heading, or the text before the first `##` heading. */
export interface Section {
  heading: string | undefined
  /** Zero-based line of the heading; 0 for a section without a heading */
  line: number
  lines: string[]
  /** Lines of the blocks count from 0 within `lines`. */
  blocks: Block[]
}

/** Number of UTF-16 code units that are parsed in a few milliseconds */
const WINDOW = 2 ** 16

/**
 * Splits a document at its top-level `##` headings. Parses the document in windows, which limits the memory for
 * parsing. Yields undefined after each window, so that other work can run.
 * @example [...splitSections('## A\nText\n')].find((section) => section)?.heading // 'A'
 */
export function* splitSections(source: string, window = WINDOW): Generator<Section | undefined> {
  let section: Section = { heading: undefined, line: 0, lines: [], blocks: [] }
  let from = 0
  let line = 0
  let length = window
  while (from < source.length) {
    const newline = source.indexOf('\n', from + length - 1)
    const to = newline < 0 ? source.length : newline + 1
    const piece = source.slice(from, to)
    const lines = piece.split('\n')
    const blocks = findBlocks(piece)
    const end = to === source.length ? lines.length : findCut(lines, blocks)
    yield undefined
    if (end === 0) {
      length *= 2
      continue
    }
    let start = 0
    for (const block of blocks) {
      if (block.line >= end) break
      if (!isSectionHeading(block)) {
        const shift = section.lines.length - start
        section.blocks.push({ ...block, line: block.line + shift, end: block.end + shift })
        continue
      }
      addLines(section, lines, start, block.line)
      if (!isEmpty(section)) yield section
      start = block.line + 1
      section = { heading: block.heading?.text, line: line + block.line, lines: [], blocks: [] }
    }
    addLines(section, lines, start, end)
    from = to === source.length ? to : to - lines.slice(end).join('\n').length
    line += end
    length = window
  }
  if (!isEmpty(section)) yield section
}

function isSectionHeading(block: Block): boolean {
  return block.heading?.depth === 2
}

/**
 * Returns the first line of the last block that does not depend on the lines before it: a `##` heading or a block after
 * a blank line. Returns 0 if the window contains no such block after its first line.
 */
function findCut(lines: string[], blocks: Block[]): number {
  const last = blocks.findLast(
    (block) => block.line > 0 && (isSectionHeading(block) || /^[ \t]*$/.test(lines[block.line - 1] ?? '')),
  )
  return last?.line ?? 0
}

function addLines({ lines }: Section, more: string[], start: number, end: number): void {
  for (let at = start; at < end; at++) lines.push(more[at] as string)
}

function isEmpty({ heading, lines }: Section): boolean {
  return heading === undefined && lines.length === 0
}
