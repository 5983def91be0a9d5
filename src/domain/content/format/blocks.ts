import MarkdownIt from 'markdown-it'

/** A top-level block of a document. Lines count from 0; `end` is exclusive. */
export interface Block {
  /** Name of the markdown-it token, such as `fence`, `html_block` or `paragraph_open` */
  type: string
  line: number
  end: number
  /** Only for ATX headings (`## Text`); setext headings are never part of the format. */
  heading?: { depth: number; text: string }
  /** Lists and quotes are nested so deeply that the parser included the rest of the document. */
  isTooDeep: boolean
}

const MAX_NESTING = 100
const markdown = new MarkdownIt('commonmark', { maxNesting: MAX_NESTING })

/**
 * Returns the top-level blocks of a CommonMark document in order, without link reference definitions. Only the block
 * structure is parsed, because inline content takes most of the time.
 * @example findBlocks('## A\n\nText').map(({ type }) => type) // ['heading_open', 'paragraph_open']
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
