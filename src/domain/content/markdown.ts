import MarkdownIt from 'markdown-it'

/** A block at the top level of a document. Lines count from 0; `end` is the line after its last one. */
export interface Block {
  /** The name of markdown-it's token, such as `fence`, `html_block` or `paragraph_open`. */
  type: string
  line: number
  end: number
  /** For ATX headings (`## Text`) only: setext headings are never part of the format. */
  heading?: { depth: number; text: string }
  /** Lists and quotes are nested so deep in it that the parser gave up and took the rest of the document as part of it. */
  isTooDeep: boolean
}

const MAX_NESTING = 100
const markdown = new MarkdownIt('commonmark', { maxNesting: MAX_NESTING })

/**
 * The blocks at the top level of a CommonMark document, in order. Link reference definitions are not among them.
 * Only the block structure is parsed: inline content costs most of the time and is not asked for.
 */
export function findBlocks(source: string): Block[] {
  const tokens: Parameters<typeof markdown.block.parse>[3] = []
  markdown.block.parse(source, markdown, {}, tokens)
  const blocks: Block[] = []
  for (const [index, { type, level, nesting, map, markup }] of tokens.entries()) {
    const parent = blocks.at(-1)
    if (parent && level >= MAX_NESTING - 1) parent.isTooDeep = true
    if (level !== 0 || nesting < 0 || !map) continue
    const block: Block = { type, line: map[0], end: map[1], isTooDeep: false }
    if (type === 'heading_open' && markup.startsWith('#')) {
      block.heading = { depth: markup.length, text: (tokens[index + 1]?.content ?? '').trim() }
    }
    blocks.push(block)
  }
  return blocks
}
