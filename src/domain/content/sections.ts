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
 * Cuts a document at its `##` headings (ATX, at the top level). It is parsed piece by piece, so that memory does not grow
 * with it and nobody waits for long: undefined comes behind each piece.
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
 * The last line of a piece where another one can begin: a block begins there whatever follows, and what follows belongs
 * to no block before it. Such are `##` headings and what comes after a blank line. 0 when there is none.
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
