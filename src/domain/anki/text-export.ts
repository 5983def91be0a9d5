export interface ExportCard {
  question: string
  answer: string
  level: string
}

const FENCE = /```[^\s`]*\n([\s\S]*?)```/g

/** One line of the export, its newline included: question, answer, tag and level, separated by tabs. */
export function formatAnkiLine(card: ExportCard, deckName: string): string {
  return `${formatAnkiText(card.question)}\t${formatAnkiText(card.answer)}\tsvc-training::${deckName}\t${card.level}\n`
}

/**
 * The Markdown of a card as one line of HTML (specification §4.3: five rules, in this order). A rule is only applied
 * when there is something for it: the export formats every card, and this is half of its work.
 */
export function formatAnkiText(markdown: string): string {
  let text = markdown.includes('\r') ? markdown.replace(/\r\n?/g, '\n') : markdown
  if (text.includes('`')) {
    if (text.includes('```')) text = text.replace(FENCE, '<pre><code>$1</code></pre>')
    text = text.replaceAll('`', '')
  }
  text = markBold(text)
  if (text.includes('\n')) text = text.replaceAll('\n', '<br>')
  return text.includes('\t') ? text.replaceAll('\t', ' ') : text
}

/** As a regular expression would, `**` and the next `**` with something in between, in half of its time. */
function markBold(text: string): string {
  let marked = ''
  let done = 0
  for (let start = text.indexOf('**'); start >= 0; start = text.indexOf('**', done)) {
    const end = text.indexOf('**', start + 3)
    if (end < 0) break
    marked += `${text.slice(done, start)}<b>${text.slice(start + 2, end)}</b>`
    done = end + 2
  }
  return marked + text.slice(done)
}

/** The name under which a browser saves the export of that day (`YYYY-MM-DD`). */
export function ankiFileName(day: string): string {
  return `svc_training_anki_${day}.txt`
}

/** The name of a package. Anki would offer to replace everything by one that is called `collection` or `backup`. */
export function packageFileName(day: string): string {
  return `svc_training_anki_${day}.apkg`
}
