import { categoryPath, type RawGap } from '../exchange/index.js'
import { formatExportMarker } from './export-marker.js'

export interface ExportAnswer {
  /** Markdown for a choice, else plain text; numbers have a decimal point. */
  text: string
  correct: boolean
  feedback: string | null
}

export interface ExportQuestion {
  id: string
  tags: readonly string[]
  /** Markdown, like `answer` and `items` */
  question: string
  answer: string
  form: 'choice' | 'text' | 'number' | 'order' | 'gaps' | 'plain'
  answers: readonly ExportAnswer[]
  /** Whether the first of the answers repeats the answer of the card */
  hasOwnAnswer: boolean
  /** Items to put in order; empty for other forms */
  items: readonly string[]
  /** Gaps in the order of the `{{…}}` in the answer */
  gaps: readonly RawGap[]
  tolerance: number | null
  unit: string | null
}

const MAX_NAME = 255

export interface ExportCategory {
  /** Names of the category and, before it, of its parents */
  names: readonly string[]
  questions: Iterable<ExportQuestion>
}

/**
 * Writes questions as Moodle XML, one piece per question. Texts are Markdown, except for names, tags and the answers of
 * typed questions. `readMoodle` reads the same questions back. Pictures keep the addresses of this service.
 * @example [...writeMoodle([])].join('') // '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n\n</quiz>\n'
 */
export function* writeMoodle(categories: Iterable<ExportCategory>): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
  let separator = ''
  for (const { names, questions } of categories) {
    const category = tag('category', tag('text', escapeXml(`$course$/top/${categoryPath(names)}`)))
    yield `${separator}<question type="category">${category}</question>`
    separator = '\n'
    for (const question of questions) yield separator + writeQuestion(question)
  }
  yield '\n</quiz>\n'
}

const TYPES: Readonly<Record<ExportQuestion['form'], string>> = {
  choice: 'multichoice',
  text: 'shortanswer',
  number: 'numerical',
  order: 'ordering',
  gaps: 'cloze',
  plain: 'essay',
}

function writeQuestion(question: ExportQuestion): string {
  const { id, tags, form, answer, hasOwnAnswer } = question
  const isGaps = form === 'gaps'
  const lines = [
    formatExportMarker(hasOwnAnswer ? 1 : 0),
    // In Moodle, the text of a question with gaps holds the card's answer, so the name holds the whole question.
    tag('name', text(isGaps ? question.question : nameOf(question.question))),
    markdown('questiontext', isGaps ? embed(question) : question.question),
    markdown('generalfeedback', isGaps ? '' : answer),
    tag('defaultgrade', '1'),
    tag('idnumber', escapeXml(id)),
    ...writeForm(question),
    ...(tags.length === 0 ? [] : [tag('tags', tags.map((name) => tag('tag', text(name))).join(''))]),
  ]
  return `<question type="${TYPES[form]}">\n${lines.join('\n')}\n</question>`
}

function writeForm({ form, answers, items, tolerance, unit }: ExportQuestion): string[] {
  const rights = answers.filter(({ correct }) => correct).length
  switch (form) {
    case 'choice':
      return [
        tag('single', String(rights === 1)),
        tag('shuffleanswers', 'true'),
        tag('answernumbering', 'abc'),
        ...answers.map(({ text, correct, feedback }) => {
          const inside = tag('text', escapeXml(text)) + markdown('feedback', feedback ?? '')
          return `<answer fraction="${correct ? percentOf(rights) : 0}" format="markdown">${inside}</answer>`
        }),
      ]
    case 'text':
      return [
        tag('usecase', '0'),
        ...answers.map(({ text: accepted }) => {
          return `<answer fraction="100" format="plain_text">${text(accepted.replaceAll('*', '\\*'))}</answer>`
        }),
      ]
    case 'number':
      return [
        ...answers.map(({ text: accepted }) => {
          return `<answer fraction="100" format="plain_text">${text(accepted)}${tag('tolerance', `${tolerance ?? 0}`)}</answer>`
        }),
        ...(unit === null
          ? []
          : [tag('units', tag('unit', tag('multiplier', '1') + tag('unit_name', escapeXml(unit))))]),
      ]
    case 'order':
      return [
        tag('layouttype', 'VERTICAL'),
        tag('selecttype', 'ALL'),
        tag('gradingtype', 'ABSOLUTE_POSITION'),
        ...items.map((item, index) => `<answer fraction="${index + 1}" format="markdown">${text(item)}</answer>`),
      ]
    default:
      return []
  }
}

/** Returns the percentage of each right option; Moodle accepts thirds only with five decimals. */
function percentOf(rights: number): string {
  return String(Number((100 / rights).toFixed(5)))
}

const GAP = /\{\{[^{}\n]+\}\}/g

function embed({ answer, gaps }: ExportQuestion): string {
  let index = 0
  return answer.replaceAll(GAP, (whole) => {
    const texts = gaps[index++] ?? []
    if (!texts.some(({ isRight }) => isRight)) return whole
    const type = texts.every(({ isRight }) => isRight) ? 'SHORTANSWER' : 'MULTICHOICE'
    const answers = texts.map(({ text, isRight }) => {
      return `${isRight ? '=' : '%0%'}${text.replaceAll(/[\\~#}"/*]/g, '\\$&')}`
    })
    return `{1:${type}:${answers.join('~')}}`
  })
}

function nameOf(question: string): string {
  const line = question.replaceAll(/\s+/g, ' ').trim()
  return line.length <= MAX_NAME ? line : `${line.slice(0, MAX_NAME - 1).toWellFormed()}…`
}

function markdown(name: string, content: string): string {
  return `<${name} format="markdown">${text(content)}</${name}>`
}

function text(content: string): string {
  return tag('text', escapeXml(content))
}

function tag(name: string, inside: string): string {
  return `<${name}>${inside}</${name}>`
}

/** Characters that XML 1.0 does not allow, not even as references */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the characters to remove
const FORBIDDEN = /[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g

function escapeXml(content: string): string {
  return content
    .toWellFormed()
    .replaceAll(FORBIDDEN, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
