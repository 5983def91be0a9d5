import MarkdownIt from 'markdown-it'

const markdown = new MarkdownIt({ html: true })

type Token = ReturnType<typeof markdown.parse>[number]

/**
 * Converts Markdown to one line of text, without markup, link targets, comments and HTML tags.
 * @example toPlainText('**Hallo** [Welt](/x)') // 'Hallo Welt'
 */
export function toPlainText(source: string): string {
  return markdown
    .parse(source, {})
    .map(textOf)
    .filter((text) => text !== '')
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function textOf({ type, content, children }: Token): string {
  switch (type) {
    case 'inline':
    case 'image':
      return (children ?? []).map(textOf).join('')
    case 'softbreak':
    case 'hardbreak':
      return ' '
    case 'html_inline':
      return ''
    case 'html_block':
      return content.replaceAll(/<[^<>]*>?/g, ' ')
    default:
      return content
  }
}
