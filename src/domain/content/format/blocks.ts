import MarkdownIt from 'markdown-it'

/** A top-level block of a document. Lines count from 0; `end` is exclusive. */
export interface Block {
  /** Name of the markdown-it token, such as `fence`, `html_block` or `paragraph_open` */
  type: string
  line: number
  end: number
  /** Set only for ATX headings (`## Text`), because setext headings are not part of the format */
  heading?: { depth: number; text: string }
  /** Whether lists and quotes are nested so deeply that the parser may have skipped a part of the block */
  isTooDeep: boolean
}

const MAX_NESTING = 100
const markdown = new MarkdownIt('commonmark', { maxNesting: MAX_NESTING })

/**
 * Returns the top-level blocks of a CommonMark document in order, without link reference definitions. Only the block
 * structure is parsed, because parsing inline content takes most of the time.
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

/**
 * Returns the range of lines of each item of a list; `end` is exclusive.
 * @param source text that consists of a single list
 * @example findListItems('- a\n- b') // [{ line: 0, end: 1 }, { line: 1, end: 2 }]
 */
export function findListItems(source: string): { line: number; end: number }[] {
  const tokens: Parameters<typeof markdown.block.parse>[3] = []
  markdown.block.parse(source, markdown, {}, tokens)
  return tokens.flatMap(({ type, level, map }) => {
    return type === 'list_item_open' && level === 1 && map ? [{ line: map[0], end: map[1] }] : []
  })
}
