import { fillGaps, type Texts } from './texts.js'
import {
  EMPTY,
  type RawAnswer,
  type RawCommon,
  type RawGap,
  type RawQuestion,
  type ReadOption,
  type ReadQuestion,
  UnsupportedQuestion,
} from './types.js'

type Content = Pick<ReadQuestion, 'question' | 'answer' | 'exercise'>
type Raw<Kind extends RawQuestion['kind']> = Extract<RawQuestion, { kind: Kind }>

const MAX_OPTIONS = 30
/** Tolerance in percentage points: an answer above 100 minus this value gives all points. */
const ROUNDING = 0.01
const MIN_TOLERANCE = 0.000001
const MAX_TOLERANCE = 1e15
/** Placeholder for any text within an answer */
const WILDCARD = '*'

export function convertChoice(raw: Raw<'choice'>, texts: Texts): Content {
  if (raw.answers.length > MAX_OPTIONS)
    throw new UnsupportedQuestion(`Es gibt mehr als ${MAX_OPTIONS} Antworten zur Auswahl`)
  const isRight = ({ percent }: RawAnswer) => (raw.isSingle ? percent > 100 - ROUNDING : percent > 0)
  const rights = raw.answers.filter(isRight)
  if (rights.length === 0) throw new UnsupportedQuestion('Keine Antwort ist ganz richtig')
  if (rights.length === raw.answers.length) throw new UnsupportedQuestion('Keine Antwort ist falsch')
  describeWeights(raw, rights, texts)
  const options = raw.answers.map((answer) => {
    const text = texts.toMarkdown(answer)
    if (text === '') throw new UnsupportedQuestion('Eine Antwort zur Auswahl ist leer')
    return { text, correct: isRight(answer), feedback: texts.toMarkdown(answer.feedback) || null }
  })
  const keys = options.filter(({ correct }) => correct).map(({ text }) => text)
  const key = keys.length === 1 ? (keys[0] ?? '') : keys.map((text) => `- ${indent(text, 2)}`).join('\n')
  const answer = answerOf(raw, texts, { key, shows: keys })
  const ownAnswers = raw.own?.answers ?? 0
  // If all options of a card are wrong, the export adds the card's answer as the first option; `slice` removes it.
  return content(raw, texts, answer, { form: 'choice', options: options.slice(ownAnswers) })
}

function describeWeights({ isSingle, answers }: Raw<'choice'>, rights: readonly RawAnswer[], texts: Texts): void {
  if (isSingle && rights.length > 1) texts.changes.add('Statt einer der richtigen Antworten sind alle anzukreuzen')
  if (!isSingle && rights.length === 1) texts.changes.add('Nur eine Antwort ist richtig, also ist nur eine wählbar')
  const shares = rights.map(({ percent }) => percent)
  const isUneven = Math.max(...shares) - Math.min(...shares) > 1
  const hasPartial = isSingle && answers.some(({ percent }) => percent > 0 && percent < 100 - ROUNDING)
  if (isUneven || hasPartial) texts.changes.add('Teilpunkte einzelner Antworten entfallen')
}

export function convertTextQuestion(raw: Raw<'text'>, texts: Texts): Content {
  const full = fullAnswers(raw.answers, texts)
  const plain = full.filter(({ text }) => !text.includes(WILDCARD) || text.includes('\\*'))
  if (plain.length < full.length) texts.changes.add('Antworten mit dem Platzhalter * entfallen')
  const accepted = plain
    .map(({ text }) => texts.toMarkdownLine(text.replaceAll('\\*', '*')))
    .filter((text) => text !== '')
  const [key] = accepted
  if (key === undefined) throw new UnsupportedQuestion('Keine Antwort ist ganz richtig und ohne Platzhalter')
  return typed(raw, texts, { form: 'text', accepted, key })
}

export function convertNumber(raw: Raw<'number'>, texts: Texts): Content {
  const full = fullAnswers(raw.answers, texts).filter(({ text }) => text.trim() !== WILDCARD)
  const accepted = full.map(({ text }) => {
    const value = readPointNumber(text)
    if (value === undefined) throw new UnsupportedQuestion(`„${text.trim()}“ ist keine Zahl`, 'number')
    return toGermanNumber(value)
  })
  const [key] = accepted
  if (key === undefined) throw new UnsupportedQuestion('Keine Zahl ist ganz richtig')
  const tolerances = full.map(({ tolerance = '' }) => readTolerance(tolerance))
  const tolerance = tolerances[0] ?? 0
  if (tolerances.some((other) => other !== tolerance)) {
    texts.changes.add('Für alle Zahlen gilt die Toleranz der ersten')
  }
  const unit = raw.unit === null ? null : raw.unit.replaceAll(/\s+/g, ' ').trim() || null
  if (unit !== null && (unit.length > 40 || /[;<>]|--/.test(unit))) {
    throw new UnsupportedQuestion(`Die Einheit „${unit.slice(0, 40)}“ ist hier nicht möglich`, 'unit')
  }
  const isOwn = raw.own !== undefined
  const withUnit = unit === null || isOwn ? key : `${key} ${unit}`
  const read = typed(raw, texts, { form: 'number', accepted, key: withUnit })
  return { ...read, exercise: read.exercise && { ...read.exercise, tolerance: tolerance || null, unit } }
}

/** Returns the answers that give all points. Reports dropped feedback and other dropped answers, except `*`. */
function fullAnswers(answers: readonly RawAnswer[], texts: Texts): RawAnswer[] {
  const full = answers.filter(({ percent }) => percent > 100 - ROUNDING)
  const isLost = answers.some(({ percent, text }) => percent <= 100 - ROUNDING && text.trim() !== WILDCARD)
  if (isLost) texts.changes.add('Antworten mit Teilpunkten entfallen')
  if (answers.some(({ feedback }) => feedback.text.trim() !== '')) {
    texts.changes.add('Rückmeldungen zu einzelnen Antworten entfallen')
  }
  return full
}

function typed(
  raw: RawCommon,
  texts: Texts,
  { form, accepted, key }: { form: 'text' | 'number'; accepted: string[]; key: string },
): Content {
  const answer = answerOf(raw, texts, { key, shows: [key] })
  // Omits the first accepted text if it is the answer of the card, which is always accepted.
  const isKnown = raw.own?.answers ?? (answer === key ? 1 : 0)
  const options = accepted.slice(isKnown).map((text) => ({ text, correct: true, feedback: null }))
  return content(raw, texts, answer, { form, options })
}

function readPointNumber(text: string): number | undefined {
  const trimmed = text.trim()
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

function readTolerance(text: string): number {
  if (text.trim() === '') return 0
  const value = Math.abs(readPointNumber(text) ?? Number.NaN)
  if (Number.isNaN(value) || value > MAX_TOLERANCE)
    throw new UnsupportedQuestion(`Die Toleranz „${text.trim()}“ ist keine Zahl`, 'tolerance')
  return value < MIN_TOLERANCE ? 0 : value
}

/**
 * Writes a number with a decimal comma. Appends a zero to three decimals if the comma could be a thousands separator.
 * @example toGermanNumber(3.142) // '3,1420'
 */
function toGermanNumber(value: number): string {
  const text = String(value).replace('.', ',')
  return /^-?[1-9]\d{0,2},\d{3}$/.test(text) ? `${text}0` : text
}

export function convertOrder(raw: Raw<'order'>, texts: Texts): Content {
  if (raw.items.length < 2) throw new UnsupportedQuestion('Zu ordnen sind weniger als zwei Punkte')
  const items = raw.items.map((item) => {
    const text = texts.toMarkdown(item)
    if (text === '') throw new UnsupportedQuestion('Ein Punkt der Reihenfolge ist leer')
    return text
  })
  const key = items.map((text, index) => `${index + 1}. ${indent(text, 3)}`).join('\n')
  const explanation = texts.toMarkdown(raw.explanation)
  // A second numbered list would make the order unclear.
  const isClear = raw.own !== undefined || !/^ {0,3}\d{1,9}[.)]/m.test(explanation)
  if (!isClear) texts.changes.add('Die Erklärung entfällt, weil sie eine nummerierte Liste enthält')
  const answer = answerOf(isClear ? raw : { ...raw, explanation: EMPTY }, texts, { key, shows: [key] })
  return content(raw, texts, answer, { form: 'order', options: [] })
}

export function convertGaps(raw: Raw<'gaps'>, texts: Texts): Content {
  if (raw.gaps.length === 0) throw new UnsupportedQuestion('Der Text hat keine Lücke')
  const text = texts.toMarkdown(raw.question)
  const marked = fillGaps(text, raw.gaps.map(checkGap))
  if (marked.split('{{').length - 1 < raw.gaps.length)
    throw new UnsupportedQuestion('Eine Lücke steht in einem Bild oder Befehl')
  const question = texts.toMarkdownLine(raw.name) || 'Fülle die Lücken'
  const answer = joined(marked, texts.toMarkdown(raw.explanation))
  return { question: raw.own ? raw.name : question, answer, exercise: exercise({ form: 'gaps', options: [] }) }
}

/**
 * Returns the texts of a gap in the notation of a card's answer, where a wrong text begins with `[ ] `.
 * @throws UnsupportedQuestion if no text is right, or a text contains characters that a gap cannot contain
 */
function checkGap(gap: RawGap): string[] {
  const texts = gap
    .map(({ text, isRight }) => ({ text: text.replaceAll(/\s+/g, ' ').trim(), isRight }))
    .filter(({ text }) => text !== '')
  const rights = texts.filter(({ isRight }) => isRight).map(({ text }) => text)
  if (rights.length === 0) throw new UnsupportedQuestion('Zu einer Lücke gibt es keine ganz richtige Antwort')
  const unwritable = texts.find(({ text }) => /[{}|]|^\[[ xX]\]/.test(text))
  if (unwritable !== undefined)
    throw new UnsupportedQuestion(`„${unwritable.text}“ kann nicht in einer Lücke stehen`, 'gap')
  return texts
    .filter(({ text, isRight }) => isRight || !rights.includes(text))
    .map(({ text, isRight }) => (isRight ? text : `[ ] ${text}`))
}

export function convertPairs(raw: Raw<'pairs'>, texts: Texts): Content {
  texts.changes.add('Die Zuordnung wird zu Lücken, in die man schreibt')
  const lines = raw.pairs.flatMap(({ left, right }) => {
    const text = texts.toMarkdown(left)
    return text === '' ? [] : [`- ${indent(text, 2)}: {{${checkGap([{ text: right, isRight: true }])[0]}}}`]
  })
  if (lines.length === 0) throw new UnsupportedQuestion('Es gibt nichts zuzuordnen')
  const answer = joined(lines.join('\n'), texts.toMarkdown(raw.explanation))
  return content(raw, texts, answer, { form: 'gaps', options: [] })
}

export function convertEssay(raw: Raw<'plain'>, texts: Texts): Content {
  const answer = texts.toMarkdown(raw.explanation)
  if (answer === '') throw new UnsupportedQuestion('Eine Freitextaufgabe ohne Musterlösung hat keine Antwort')
  if (raw.own === undefined) texts.changes.add('Die Freitextaufgabe wird eine Karte ohne Test')
  return { question: texts.toMarkdown(raw.question), answer, exercise: null }
}

/**
 * Returns the answer of the card: the key (the right answers) and the explanation. Omits the key if this service
 * exported the question, if the explanation begins with the only text of the key, or if the explanation contains all
 * texts of a longer key. A text that is only a part of a word or number of the explanation does not count.
 * @param shows texts of the key, compared ignoring case
 */
function answerOf(raw: RawCommon, texts: Texts, { key, shows }: { key: string; shows: string[] }): string {
  const explanation = texts.toMarkdown(raw.explanation)
  if (raw.own !== undefined) return explanation
  const lower = explanation.toLowerCase()
  const places = shows.map((text) => findWords(lower, text.toLowerCase()))
  const isNamed = places.length === 1 ? places[0] === 0 : places.every((place) => place >= 0)
  return isNamed ? explanation : joined(key, explanation)
}

const IN_WORD_BEFORE = /[\p{L}\p{N}][.,-]?$/u
const IN_WORD_AFTER = /^[.,-]?[\p{L}\p{N}]/u

/**
 * Returns the first position of the words at which they are not part of a longer word or number; -1 without one.
 * @example findWords('1,5 oder 1', '1') // 9
 */
function findWords(text: string, words: string): number {
  let at = text.indexOf(words)
  while (at >= 0) {
    const end = at + words.length
    const isPart =
      IN_WORD_BEFORE.test(text.slice(Math.max(0, at - 2), at)) || IN_WORD_AFTER.test(text.slice(end, end + 2))
    if (!isPart) return at
    // Skips the whole match, so that the time stays linear.
    at = text.indexOf(words, end)
  }
  return -1
}

function joined(first: string, second: string): string {
  return second === '' ? first : `${first}\n\n${second}`
}

function content(
  raw: RawCommon,
  texts: Texts,
  answer: string,
  given: { form: NonNullable<ReadQuestion['exercise']>['form']; options: ReadOption[] },
): Content {
  return { question: texts.toMarkdown(raw.question), answer, exercise: exercise(given) }
}

function exercise(given: Pick<NonNullable<ReadQuestion['exercise']>, 'form' | 'options'>): ReadQuestion['exercise'] {
  return { ...given, tolerance: null, unit: null }
}

/** Indents all lines but the first, as a list item requires. */
function indent(text: string, width: number): string {
  return text.replaceAll(/\n(?=[^\n])/g, `\n${' '.repeat(width)}`)
}
