import { Parser } from 'htmlparser2'
import {
  type ConvertLimits,
  type EmbeddedFile,
  type KeepPicture,
  markGap,
  QuestionCollector,
  type RawAnswer,
  type RawCommon,
  type RawGap,
  type RawQuestion,
  type RawText,
  type ReadQuestions,
  type TextFormat,
  UnsupportedQuestion,
  withoutRootCategory,
} from '../exchange/index.js'
import { readCloze } from './cloze.js'
import { childOf, childrenOf, type Element, readChildren, textIn, type XmlFault } from './element.js'
import { EXPORT_MARKER } from './export-marker.js'

const FORMATS: Readonly<Record<string, TextFormat>> = {
  html: 'html',
  markdown: 'markdown',
  plain_text: 'plain',
  moodle_auto_format: 'auto',
}

/**
 * Reads Moodle XML.
 * @param keepPicture stores an embedded picture; by default, no picture is stored
 * @returns the questions, read or refused, up to the limit; `fault` if the rest of the file could not be read
 * @example readMoodle('<quiz></quiz>', { maxLength: 1_000, maxQuestions: 10 }).questions // []
 */
export function readMoodle(
  source: string,
  limits: ConvertLimits,
  keepPicture?: KeepPicture,
): ReadQuestions & { fault?: XmlFault } {
  const collector = new QuestionCollector(limits, keepPicture)
  let category: string | null = null
  const fault = readChildren(source.replace(/^\ufeff/, ''), 'quiz', (element) => {
    if (element.name !== 'question') return true
    if (element.attributes.type === 'category') {
      category = withoutRootCategory(textIn(element, 'category'))
      return true
    }
    if (collector.isFull) {
      collector.refuse(element.line, textIn(element, 'name'), `Die Datei hat mehr als ${limits.maxQuestions} Fragen`)
      return false
    }
    collector.attempt(element.line, textIn(element, 'name'), () => readQuestion(element, category))
    return true
  })
  return fault === undefined ? collector.result : { ...collector.result, fault }
}

function readQuestion(element: Element, category: string | null): RawQuestion {
  if (element.isCut) throw new UnsupportedQuestion('Die Frage ist unvollständig: ein Element hat kein Ende')
  const common = readCommon(element, category)
  const type = element.attributes.type ?? ''
  switch (type) {
    case 'multichoice':
    case 'multichoiceset':
      return { ...common, kind: 'choice', isSingle: isSingle(element, type), answers: readAnswers(element) }
    case 'truefalse':
      return { ...common, kind: 'choice', isSingle: true, answers: readAnswers(element).map(inGerman) }
    case 'shortanswer':
      if (textIn(element, 'usecase') === '1') common.changes.push('Groß- und Kleinschreibung zählt nicht mehr')
      // Moodle compares the answers of a `shortanswer` as plain text, regardless of their format.
      return {
        ...common,
        kind: 'text',
        answers: readAnswers(element).map((answer) => ({ ...answer, format: 'plain' })),
      }
    case 'numerical':
      return { ...common, kind: 'number', unit: readUnit(element, common.changes), answers: readAnswers(element) }
    case 'ordering':
      return { ...common, kind: 'order', items: childrenOf(element, 'answer').map(readText) }
    case 'matching':
      return { ...common, kind: 'pairs', pairs: readPairs(element) }
    case 'cloze':
    case 'multianswer':
      return readGaps(common)
    case 'gapselect':
    case 'ddwtos':
      return readSelections(element, common)
    case 'essay':
      return {
        ...common,
        kind: 'plain',
        explanation: common.explanation.text ? common.explanation : readText(childOf(element, 'graderinfo')),
      }
    case 'description':
      throw new UnsupportedQuestion('Das ist ein Text ohne Frage')
    default:
      throw new UnsupportedQuestion(`Fragen der Art „${type.slice(0, 40)}“ gibt es hier nicht`, 'question type')
  }
}

function readCommon(element: Element, category: string | null): RawCommon {
  const changes: string[] = []
  if (childrenOf(element, 'hint').some((hint) => textIn(hint, 'text') !== ''))
    changes.push('Hinweise für weitere Versuche entfallen')
  // Only Moodle 1.9 writes the field `image`.
  if (textIn(element, 'image') !== '') changes.push(`Das Bild „${textIn(element, 'image')}“ wird nicht übernommen`)
  const own = element.comments.map((comment) => EXPORT_MARKER.exec(comment)).find((match) => match !== null)
  return {
    line: element.line,
    name: textIn(element, 'name'),
    question: readText(childOf(element, 'questiontext')),
    explanation: readText(childOf(element, 'generalfeedback')),
    id: textIn(element, 'idnumber') || null,
    category,
    tags: childrenOf(childOf(element, 'tags') ?? element, 'tag').map((tag) =>
      (childOf(tag, 'text') ?? tag).text.trim(),
    ),
    changes,
    ...(own ? { own: { answers: Number(own[1]) } } : {}),
  }
}

/** @throws UnsupportedQuestion if the text contains elements, because `Element` does not keep their place in it */
function readText(element: Element | undefined): RawText {
  const format = FORMATS[element?.attributes.format ?? ''] ?? 'auto'
  const files = element === undefined ? [] : childrenOf(element, 'file').map(readFile)
  const inside = childOf(element, 'text')
  const [markup] = inside?.children ?? []
  if (markup !== undefined) {
    const tag = `<${markup.name.slice(0, 40)}>`
    throw new UnsupportedQuestion(`Ein Text enthält ${tag} als Element; HTML muss in CDATA stehen`, 'element')
  }
  return {
    text: (inside ?? element)?.text.trim() ?? '',
    format,
    ...(files.length > 0 && { files }),
  }
}

function readFile({ attributes, text }: Element): EmbeddedFile {
  const folder = (attributes.path ?? '').replace(/^\/+/, '')
  return { name: `${folder}${attributes.name ?? ''}`.normalize('NFC'), base64: text }
}

function readAnswers(element: Element): RawAnswer[] {
  return childrenOf(element, 'answer').map((answer) => {
    const percent = Number(answer.attributes.fraction ?? 0)
    if (!Number.isFinite(percent)) throw new UnsupportedQuestion('Die Punkte einer Antwort sind keine Zahl')
    return {
      ...readText(answer),
      percent,
      feedback: readText(childOf(answer, 'feedback')),
      tolerance: textIn(answer, 'tolerance'),
    }
  })
}

function isSingle(element: Element, type: string): boolean {
  return type === 'multichoice' && ['', 'true', '1'].includes(textIn(element, 'single').toLowerCase())
}

const GERMAN: Readonly<Record<string, string>> = { true: 'Wahr', false: 'Falsch' }

function inGerman(answer: RawAnswer): RawAnswer {
  return { ...answer, text: GERMAN[answer.text.toLowerCase()] ?? answer.text }
}

function readUnit(element: Element, changes: string[]): string | null {
  const units = childrenOf(childOf(element, 'units') ?? element, 'unit')
  const base = units.find((unit) => Number(textIn(unit, 'multiplier')) === 1)
  if (units.length > 0 && base === undefined) throw new UnsupportedQuestion('Keine Einheit hat den Faktor 1')
  if (units.length > 1) changes.push('Nur die Einheit mit dem Faktor 1 zählt')
  return base === undefined ? null : textIn(base, 'unit_name') || null
}

function readPairs(element: Element): { left: RawText; right: string }[] {
  return childrenOf(element, 'subquestion').map((pair) => ({
    left: readText(pair),
    right: readText(childOf(pair, 'answer')).text,
  }))
}

const TAGS = /<[^<>]*>/g

function readGaps(common: RawCommon): RawQuestion {
  const isHtml = common.question.format === 'html' || common.question.format === 'auto'
  const { text, gaps, changes } = readCloze(common.question.text, (answer) => (isHtml ? fromHtml(answer) : answer))
  return {
    ...common,
    kind: 'gaps',
    question: { ...common.question, text },
    gaps,
    changes: [...common.changes, ...changes],
  }
}

/** Converts an answer from HTML to plain text; the gaps of an HTML question contain HTML. */
function fromHtml(html: string): string {
  let text = ''
  const parser = new Parser({ ontext: (part) => (text += part) })
  // Only entities are left to decode: a `<` that is left begins no tag.
  parser.end(html.replaceAll(TAGS, ' ').replaceAll('<', '&lt;'))
  return text
}

/** Reads gaps such as `[[2]]`, whose right answer is the second choice. */
function readSelections(element: Element, common: RawCommon): RawQuestion {
  const choices = element.children
    .filter(({ name }) => name === 'selectoption' || name === 'dragbox')
    .map((choice) => ({ text: fromHtml(readText(choice).text), group: textIn(choice, 'group') }))
  const gaps: RawGap[] = []
  const text = common.question.text.replaceAll(/\[\[(\d{1,4})\]\]/g, (_, number: string) => {
    const choice = choices[Number(number) - 1]
    if (choice === undefined) throw new UnsupportedQuestion(`Die Auswahl [[${number}]] gibt es nicht`, 'choice')
    gaps.push(
      choices.filter(({ group }) => group === choice.group).map((one) => ({ text: one.text, isRight: one === choice })),
    )
    return markGap(gaps.length - 1)
  })
  return { ...common, kind: 'gaps', question: { ...common.question, text }, gaps }
}
