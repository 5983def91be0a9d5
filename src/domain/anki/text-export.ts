export interface ExportCard {
  question: string
  answer: string
  level: string
}

const FENCE = /```[^\s`]*\n([\s\S]*?)```/g
const BOLD = /\*\*([\s\S]+?)\*\*/g

/** One line of the export, its newline included: question, answer, tag and level, separated by tabs. */
export function formatAnkiLine(card: ExportCard, deckName: string): string {
  return `${formatAnkiText(card.question)}\t${formatAnkiText(card.answer)}\tsvc-training::${deckName}\t${card.level}\n`
}

/**
 * The Markdown of a card as one line of HTML (specification §4.3: five rules, in this order). The regular expressions
 * are only asked when there is something for them: the export formats every card.
 */
export function formatAnkiText(markdown: string): string {
  let text = markdown.includes('\r') ? markdown.replace(/\r\n?/g, '\n') : markdown
  if (text.includes('```')) text = text.replace(FENCE, '<pre><code>$1</code></pre>')
  text = text.replaceAll('`', '')
  if (text.includes('**')) text = text.replace(BOLD, '<b>$1</b>')
  return text.replaceAll('\n', '<br>').replaceAll('\t', ' ')
}

/** The name under which a browser saves the export of that day (`YYYY-MM-DD`). */
export function ankiFileName(day: string): string {
  return `svc_training_anki_${day}.txt`
}
