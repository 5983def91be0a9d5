import { shorten } from '../../text/text.js'
import { clozeNumbers, isOcclusion, parseClozes } from './cloze.js'
import { applyFilter, escapeHtml, isEmptyField, stripHtml } from './filters.js'
import type { CardTemplate, NoteType, ParsedTemplate } from './note-type.js'
import type { TemplateNode } from './template.js'

export interface AnkiNote {
  fields: readonly string[]
  /** Tags separated by spaces */
  tags: string
}

/** HTML of both sides, or the reason why the card is skipped, in German */
export type RenderedCard = { question: string; answer: string } | { skipped: string }

/** Maximum length of the HTML of a side in UTF-16 code units, far above the limit of a stored side */
const MAX_HTML = 4 * 2 ** 20

export const SKIPPED_OCCLUSION = 'Image Occlusion'

/**
 * Renders both sides of a card of a note. For a cloze note type, the card asks for gap `ord` + 1.
 * @param deck name of the deck, such as `A::B`
 */
export function renderCard(
  type: NoteType,
  template: CardTemplate,
  parsed: ParsedTemplate,
  note: AnkiNote,
  ord: number,
  deck: string,
): RenderedCard {
  if ('reason' in parsed)
    return { skipped: `die Vorlage „${shorten(template.name, 100)}“ ist nicht lesbar: ${parsed.reason}` }
  const cloze = type.isCloze ? ord + 1 : undefined
  if (/^image occlusion/i.test(type.name) || note.fields.some(isOcclusion)) return { skipped: SKIPPED_OCCLUSION }
  const values = new Map(type.fields.map((name, index) => [name, note.fields[index] ?? '']))
  const specials = new Map([
    ['Tags', escapeHtml(note.tags.trim())],
    ['Type', escapeHtml(type.name)],
    ['Deck', escapeHtml(deck)],
    ['Subdeck', escapeHtml(deck.split('::').at(-1) ?? '')],
    ['Card', escapeHtml(template.name)],
    ['CardFlag', ''],
    ['CardID', ''],
    ['FrontSide', ''],
  ])
  if (cloze !== undefined && !type.fields.some((name) => hasCloze(values.get(name) ?? '', cloze))) {
    return { skipped: `die Lücke ${cloze} fehlt` }
  }
  const render = (nodes: readonly TemplateNode[], side: 'front' | 'back', revealed?: Revealed) =>
    renderNodes(nodes, (name) => values.get(name) ?? specials.get(name), { side, cloze }, revealed)
  const revealed: Revealed = { hints: new Map(), typed: new Set() }
  const { hints, typed } = revealed
  let question = render(parsed.front, 'front', revealed)
  const back = render(parsed.back, 'back')
  if (question === undefined || back === undefined) return { skipped: 'der Text ist zu lang' }
  if (hints.size > 0 && isBlank(question)) {
    question = render(parsed.front, 'front') ?? question
    hints.clear()
  }
  const answer = addTyped(back, typed) + writeHints(hints, back)
  return answer.length > MAX_HTML ? { skipped: 'der Text ist zu lang' } : { question, answer }
}

interface Revealed {
  /** Hints by field name; Anki shows them after a click. */
  hints: Map<string, string>
  /** Expected answers of type-in fields; Anki shows them on the back. */
  typed: Set<string>
}

/** Adds the expected answers of type-in fields to the back, except those that the back already contains. */
function addTyped(back: string, typed: ReadonlySet<string>): string {
  const shown = wordsOf(back)
  const shows = (html: string) => (wordsOf(html) === ' ' ? back.includes(html) : shown.includes(wordsOf(html)))
  const missing = [...typed].filter((html) => !isEmptyField(html) && !shows(html))
  if (missing.length === 0) return back
  const [above, below] = splitAtAnswerLine(back) ?? ['', back]
  return `${above}${missing.map((html) => `<div>${html}</div>`).join('')}${below}`
}

/** Returns the words of HTML, separated and surrounded by single spaces, without punctuation. */
function wordsOf(html: string): string {
  return ` ${html.replaceAll(/<[^<>]*>|[^\p{L}\p{N}<>]+/gu, ' ').trim()} `.replaceAll(/ {2,}/g, ' ')
}

/**
 * Returns the hints that the back does not contain, as HTML to be added to the answer. Cards of this service cannot
 * show a hint on click, and a visible hint on the front could reveal the answer.
 */
function writeHints(hints: Revealed['hints'], back: string): string {
  let html = ''
  for (const [name, hint] of hints) {
    if (!isEmptyField(hint) && !back.includes(hint)) html += `<div><i>${escapeHtml(name)}:</i> ${hint}</div>`
  }
  return html
}

function isBlank(html: string): boolean {
  return !/<img\b/i.test(html) && stripHtml(html).replaceAll('&nbsp;', ' ').trim() === ''
}

/**
 * Splits HTML after `<hr id=answer>`, the line to which Anki scrolls; returns undefined if there is none.
 * @example splitAtAnswerLine('F<hr id=answer>A') // ['F<hr id=answer>', 'A']
 */
export function splitAtAnswerLine(html: string): [above: string, below: string] | undefined {
  const line = /<hr\s[^<>]{0,200}?\bid\s{0,9}=\s{0,9}["']?answer\b[^<>]{0,200}>/i.exec(html)
  const end = line === null ? -1 : line.index + line[0].length
  return end < 0 ? undefined : [html.slice(0, end), html.slice(end)]
}

/** Returns whether a Markdown text contains a word, or a picture, that the question does not contain. */
export function addsWords(text: string, question: string): boolean {
  const words = new Set(question.split(NO_WORD))
  return text.split(NO_WORD).some((word) => word !== '' && !words.has(word))
}

const NO_WORD = /[^\p{L}\p{N}]+/u

/**
 * Removes the question from a Markdown answer that repeats it above a horizontal rule. Also removes the rule if the
 * answer begins with the question.
 * @example withoutQuestion('F\n\n---\n\nA', 'F') // 'A'
 */
export function withoutQuestion(answer: string, question: string): string {
  if (answer.startsWith(question + RULE)) return answer.slice(question.length + RULE.length)
  const at = answer.indexOf(`\n\n${question}${RULE}`)
  return at < 0 ? answer : answer.slice(0, at) + answer.slice(at + 2 + question.length)
}

const RULE = '\n\n---\n\n'

interface Side {
  side: 'front' | 'back'
  cloze: number | undefined
}

/**
 * Renders the nodes of a template as HTML; returns undefined if the HTML is longer than `MAX_HTML`.
 * @param revealed collects hints and expected answers of the front
 */
function renderNodes(
  nodes: readonly TemplateNode[],
  lookUp: (name: string) => string | undefined,
  side: Side,
  revealed: Revealed | undefined,
): string | undefined {
  let html = ''
  const visit = (children: readonly TemplateNode[]) => {
    for (const node of children) {
      if (html.length > MAX_HTML) return
      if (node.type === 'text') html += node.html
      else if (node.type === 'section') {
        if (isTrue(node.field, lookUp, side) !== node.isInverted) visit(node.children)
      } else {
        const field = renderField(node.name, node.filters, lookUp, side)
        if (revealed !== undefined && node.filters.includes('hint')) revealed.hints.set(node.name, field)
        else html += field
        if (node.filters.includes('type')) {
          revealed?.typed.add(renderField(node.name, node.filters, lookUp, { ...side, side: 'back' }))
        }
      }
    }
  }
  visit(nodes)
  return html.length > MAX_HTML ? undefined : html
}

function renderField(
  name: string,
  filters: readonly string[],
  lookUp: (name: string) => string | undefined,
  side: Side,
): string {
  const isTyped = filters.includes('type')
  return filters.reduce((html, filter) => applyFilter(filter, html, side, isTyped), lookUp(name) ?? '')
}

/**
 * Returns whether the condition of a section such as `{{#Feld}}` is true: the field has content. If the note type has
 * no field `c1`, `{{#c1}}` tests whether the card asks for gap 1.
 */
function isTrue(field: string, lookUp: (name: string) => string | undefined, { cloze }: Side): boolean {
  const value = lookUp(field)
  if (value === undefined && cloze !== undefined && /^c\d+$/.test(field)) return Number(field.slice(1)) === cloze
  return value !== undefined && !isEmptyField(value)
}

function hasCloze(field: string, number: number): boolean {
  return field.includes('{{c') && clozeNumbers(parseClozes(field)).has(number)
}
