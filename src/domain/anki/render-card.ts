import { shorten } from '../text/text.js'
import { clozeNumbers, isOcclusion, parseClozes } from './cloze.js'
import { applyFilter, escapeHtml, isEmptyField, stripHtml } from './filters.js'
import type { CardTemplate, NoteType, ParsedTemplate } from './note-type.js'
import type { TemplateNode } from './template.js'

export interface AnkiNote {
  fields: readonly string[]
  /** As they are stored, separated by blanks. */
  tags: string
}

/** Both sides as HTML, or why there is nothing to learn from. */
export type RenderedCard = { question: string; answer: string } | { skipped: string }

/** So much HTML makes no card that may be kept. */
const MAX_HTML = 4 * 2 ** 20

export const SKIPPED_OCCLUSION = 'Image Occlusion'

/**
 * The sides of the card of a note that belongs to a template or, of a note with gaps, to the gap `ord` + 1.
 * @param deck name of its deck, `A::B`
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
  const render = (nodes: readonly TemplateNode[], side: 'front' | 'back', hints?: Hints) =>
    renderNodes(nodes, (name) => values.get(name) ?? specials.get(name), { side, cloze }, hints)
  const hints: Hints = new Map()
  let question = render(parsed.front, 'front', hints)
  const back = render(parsed.back, 'back')
  if (question === undefined || back === undefined) return { skipped: 'der Text ist zu lang' }
  if (hints.size === 0) return { question, answer: back }
  if (isBlank(question)) {
    question = render(parsed.front, 'front') ?? question
    hints.clear()
  }
  const answer = back + writeHints(hints, back)
  return answer.length > MAX_HTML ? { skipped: 'der Text ist zu lang' } : { question, answer }
}

/** What Anki shows of a field on a click alone, by the field's name. */
type Hints = Map<string, string>

/** Nothing on this side opens on a click, and a question with its hint may be none: it goes below the answer. */
function writeHints(hints: Hints, back: string): string {
  let html = ''
  for (const [name, hint] of hints) {
    if (!isEmptyField(hint) && !back.includes(hint)) html += `<div><i>${escapeHtml(name)}:</i> ${hint}</div>`
  }
  return html
}

function isBlank(html: string): boolean {
  return !/<img\b/i.test(html) && stripHtml(html).replaceAll('&nbsp;', ' ').trim() === ''
}

/** What follows the line that Anki scrolls to; undefined when there is none. */
export function behindAnswerLine(html: string): string | undefined {
  const line = /<hr\s[^<>]{0,200}?\bid\s{0,9}=\s{0,9}["']?answer\b[^<>]{0,200}>/i.exec(html)
  return line === null ? undefined : html.slice(line.index + line[0].length)
}

/** An answer as Markdown without the question that it begins with, up to a line of its own. */
export function withoutQuestion(answer: string, question: string): string {
  return answer.startsWith(question + RULE) ? answer.slice(question.length + RULE.length) : answer
}

const RULE = '\n\n---\n\n'

interface Side {
  side: 'front' | 'back'
  cloze: number | undefined
}

/** Undefined when it becomes too long. */
function renderNodes(
  nodes: readonly TemplateNode[],
  lookUp: (name: string) => string | undefined,
  side: Side,
  hints: Hints | undefined,
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
        if (hints !== undefined && node.filters.includes('hint')) hints.set(node.name, field)
        else html += field
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

/** A section may also ask for a gap, `{{#c1}}`. */
function isTrue(field: string, lookUp: (name: string) => string | undefined, { cloze }: Side): boolean {
  const value = lookUp(field)
  if (value === undefined && cloze !== undefined && /^c\d+$/.test(field)) return Number(field.slice(1)) === cloze
  return value !== undefined && !isEmptyField(value)
}

function hasCloze(field: string, number: number): boolean {
  return field.includes('{{c') && clozeNumbers(parseClozes(field)).has(number)
}
