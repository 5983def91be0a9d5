import { findBlocks } from '../content/format/blocks.js'
import { MAX_SIDE_LENGTH } from '../text/limits.js'
import { hasControls, isStorable } from '../text/text.js'
import { readNumber, withoutUnit } from './number.js'

export const FORMS = ['choice', 'text', 'number', 'order', 'gaps'] as const
/** Form of a question in a test: options, a typed text or number, items to order, or a text with gaps */
export type Form = (typeof FORMS)[number]

/** An option to choose; for the forms `text` and `number`, another accepted answer. */
export interface ExerciseOption {
  /** Markdown */
  text: string
  correct: boolean
  /** Markdown shown to learners who chose the option */
  feedback: string | null
}

/**
 * Data of a card for its use in tests; a plain card has none. If no option of a choice is marked as right, the card's
 * answer is the right option. The items of an order and the gaps are part of the answer of the card.
 */
export interface Exercise {
  form: Form
  options: ExerciseOption[]
  /** Maximum accepted difference of a `number`; null means 0 */
  tolerance: number | null
  /** Unit of a `number`, such as `MB` */
  unit: string | null
}

/** An exercise as written in a request or file; absent keys have their default values. */
export interface ExerciseInput {
  form?: string | null | undefined
  options?: readonly { text: string; correct: boolean; feedback?: string | null | undefined }[] | null | undefined
  tolerance?: number | null | undefined
  unit?: string | null | undefined
}

/** Reports a fault in German; `option` is the index of the faulty option. */
export type ReportExercise = (message: string, option?: number) => void

export const MAX_OPTIONS = 30
const MAX_UNIT_LENGTH = 40
/** Maximum length of a card's answer that is offered as an option beside wrong answers */
const MAX_SHORT_ANSWER = 300
/** Limits of a positive tolerance; between them, JavaScript and `jsonb` write numbers without an exponent. */
const MIN_TOLERANCE = 0.000001
const MAX_TOLERANCE = 1e15

/**
 * Returns the normalised exercise of a card; null for a plain card or an unknown form. The result must not be stored if
 * the function has called `report`.
 * @param answer text of the card's answer, without the options
 * @example parseExercise({ options: [{ text: 'a', correct: false }] }, 'b', () => {})?.form // 'choice'
 */
export function parseExercise(input: ExerciseInput, answer: string, report: ReportExercise): Exercise | null {
  const options = (input.options ?? []).map(({ text, correct, feedback }) => ({
    text: tidy(text),
    correct,
    feedback: tidy(feedback ?? '') || null,
  }))
  const form = input.form ?? (options.length > 0 ? 'choice' : null)
  const tolerance = input.tolerance ?? null
  const unit = tidy(input.unit ?? '') || null
  if (form === null) {
    if (tolerance !== null || unit !== null) report(NUMBER_ONLY)
    return null
  }
  if (!isForm(form)) {
    report(`Die Form „${form}“ gibt es nicht (erlaubt: ${FORMS.join(', ')})`)
    return null
  }
  const exercise = { form, options, tolerance, unit }
  checkOptions(exercise, report)
  checkNumber(exercise, answer, report)
  checkForm(exercise, answer, report)
  return exercise
}

/**
 * Returns the exercise of a stored card; null for a plain card, or if a script has stored an invalid value.
 * @example readStoredExercise(null, '72') // null
 */
export function readStoredExercise(stored: unknown, answer: string): Exercise | null {
  if (!isExerciseInput(stored)) return null
  let isFaulty = false
  const exercise = parseExercise(stored, answer, () => {
    isFaulty = true
  })
  return isFaulty ? null : exercise
}

/** Returns whether a JSON value has the shape of an exercise and no other keys. */
export function isExerciseInput(value: unknown): value is ExerciseInput {
  if (!isObject(value)) return false
  const { form, tolerance = null, unit = null, options = [], ...others } = value
  return (
    typeof form === 'string' &&
    (tolerance === null || typeof tolerance === 'number') &&
    (unit === null || typeof unit === 'string') &&
    Array.isArray(options) &&
    options.every(isOption) &&
    Object.keys(others).length === 0
  )
}

function isOption(value: unknown): boolean {
  if (!isObject(value)) return false
  const { text, correct, feedback = null, ...others } = value
  const isWhole = typeof text === 'string' && typeof correct === 'boolean' && Object.keys(others).length === 0
  return isWhole && (feedback === null || typeof feedback === 'string')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const NUMBER_ONLY = '„tolerance“ und „unit“ gibt es nur mit „form: number“'

function isForm(text: string): text is Form {
  return (FORMS as readonly string[]).includes(text)
}

function tidy(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').trim()
}

function checkOptions(exercise: Exercise, report: ReportExercise): void {
  const { options } = exercise
  if (options.length > MAX_OPTIONS) report(`Eine Karte hat höchstens ${MAX_OPTIONS} Antworten zur Auswahl`)
  for (const [index, { text, feedback }] of options.entries()) {
    if (text === '') report('Eine Antwort zur Auswahl ist leer', index)
    else if (!isStorable(text) || !isStorable(feedback ?? '')) {
      report('Eine Antwort zur Auswahl enthält ein Zeichen, das nicht gespeichert werden kann', index)
    }
  }
  if (lengthOfExercise(exercise) > MAX_SIDE_LENGTH)
    report(`Die Antworten zur Auswahl sind zusammen länger als ${MAX_SIDE_LENGTH} Zeichen`)
}

function checkForm({ form, options }: Exercise, answer: string, report: ReportExercise): void {
  if (form === 'choice') {
    checkChoice(options, answer, report)
    return
  }
  if (form === 'text' || form === 'number') {
    const wrong = options.findIndex(({ correct }) => !correct)
    if (wrong >= 0) report(`Mit „form: ${form}“ stehen in der Liste nur richtige Antworten: [x]`, wrong)
    return
  }
  if (options.length > 0) report(`Mit „form: ${form}“ gibt es keine Liste mit [x] und [ ]`)
  if (form === 'order' && findItems(answer) === undefined) {
    report('Mit „form: order“ enthält die Antwort genau eine nummerierte Liste mit mindestens zwei Punkten')
  }
  if (form === 'gaps') checkGaps(findGaps(answer), report)
}

function checkGaps(gaps: readonly Gap[], report: ReportExercise): void {
  if (gaps.length === 0)
    report('Mit „form: gaps“ enthält die Antwort mindestens eine Lücke, etwa {{72|zweiundsiebzig}}')
  for (const { accepted, wrong } of gaps) {
    const both = wrong.find((text) => accepted.includes(text))
    if (accepted.length === 0) report(`In der Lücke mit „${wrong[0]}“ fehlt eine richtige Antwort, ohne [ ] davor`)
    else if (both !== undefined) report(`In einer Lücke steht „${both}“ als richtige und als falsche Antwort`)
  }
}

function checkChoice(options: readonly ExerciseOption[], answer: string, report: ReportExercise): void {
  if (options.length === 0) {
    report('Mit „form: choice“ steht am Ende der Antwort eine Liste mit [x] und [ ]')
    return
  }
  if (options.every(({ correct }) => correct)) {
    report('Unter den Antworten zur Auswahl ist keine falsche: mindestens eine Zeile beginnt mit [ ]')
  }
  if (options.some(({ correct }) => correct) || isShortAnswer(answer)) return
  report(
    `Ohne [x] ist die Antwort der Karte die richtige und muss ein Absatz mit höchstens ${MAX_SHORT_ANSWER} Zeichen sein`,
  )
}

/** Returns whether the answer is one paragraph that is short enough to be an option beside wrong answers. */
function isShortAnswer(answer: string): boolean {
  // Targets of pictures and links do not count: picture targets differ between the database and the content files.
  if (answer.replaceAll(/\]\([^()\s]*\)/g, ']()').length > MAX_SHORT_ANSWER) return false
  const blocks = findBlocks(answer)
  return blocks.length === 1 && blocks[0]?.type === 'paragraph_open'
}

function checkNumber({ form, options, tolerance, unit }: Exercise, answer: string, report: ReportExercise): void {
  if (form !== 'number') {
    if (tolerance !== null || unit !== null) report(NUMBER_ONLY)
    return
  }
  if (tolerance !== null && tolerance !== 0 && !(tolerance >= MIN_TOLERANCE && tolerance <= MAX_TOLERANCE)) {
    report('„tolerance“ muss 0 oder eine Zahl zwischen 0,000001 und 1.000.000.000.000.000 sein')
  }
  // Content files store the unit in an HTML comment, where `;` separates entries.
  if (unit !== null && (unit.length > MAX_UNIT_LENGTH || hasControls(unit) || /[;<>]|--/.test(unit))) {
    report(`„unit“ hat höchstens ${MAX_UNIT_LENGTH} Zeichen, ohne ; < > und --`)
  }
  const own = readNumber(withoutUnit(answer, unit))
  if (own === 'ambiguous') report(ambiguous(withoutUnit(answer, unit)))
  for (const [index, { text, correct }] of options.entries()) {
    if (!correct) continue
    const number = readNumber(withoutUnit(text, unit))
    if (number === 'ambiguous') report(ambiguous(withoutUnit(text, unit)), index)
    else if (number === 'none') report(`„${text}“ ist keine Zahl`, index)
  }
  if (own === 'none' && options.length === 0) {
    report('Mit „form: number“ ist die Antwort eine Zahl, oder am Ende steht eine Liste mit Zahlen: - [x] 72')
  }
}

/**
 * Returns a German message about a number that `readNumber` finds ambiguous.
 * @example ambiguous('1.000') // '„1.000“ ist mehrdeutig: 1000 oder 1,000?'
 */
export function ambiguous(number: string): string {
  const plain = number.trim()
  return `„${plain}“ ist mehrdeutig: ${plain.replace(/[.,]/, '')} oder ${plain.replace('.', ',')}?`
}

const ORDERED = 'ordered_list_open'

/**
 * Returns the lines of the only numbered list at the top level of an answer; `end` is exclusive. Returns undefined if
 * the answer has no such list or several, or if the list has only one item.
 */
export function findItems(answer: string): { line: number; end: number } | undefined {
  const lists = findBlocks(answer).filter(({ type }) => type === ORDERED)
  const [list] = lists
  if (list === undefined || lists.length > 1) return undefined
  const lines = answer.split('\n').slice(list.line, list.end)
  return lines.filter((line) => /^ {0,3}\d{1,9}[.)](?:[ \t]|$)/.test(line)).length < 2 ? undefined : list
}

export const GAP = /\{\{([^{}\n]+)\}\}/g
/** Mark of a wrong text in a gap, as in a task list */
const WRONG = '[ ]'
const MARK = /^\[[ xX]\]/

/** Texts of a gap. If some are wrong, the learner chooses one of all texts; otherwise the learner types a text. */
export interface Gap {
  accepted: string[]
  wrong: string[]
}

export interface GapText {
  text: string
  isRight: boolean
}

/**
 * Returns the gaps of an answer, without empty ones.
 * @example findGaps('In {{72|zweiundsiebzig}} Stunden') // [{ accepted: ['72', 'zweiundsiebzig'], wrong: [] }]
 */
export function findGaps(answer: string): Gap[] {
  return [...answer.matchAll(GAP)].map(([, inside = '']) => readGap(inside)).filter((gap) => !isEmpty(gap))
}

/**
 * Returns an answer as flashcards show it, with the first accepted text in place of each gap.
 * @param form form of the card; only `gaps` gives braces a meaning
 * @example showGaps('In {{72|zweiundsiebzig}} Stunden', 'gaps') // 'In 72 Stunden'
 */
export function showGaps(answer: string, form: string | null | undefined): string {
  if (form !== 'gaps') return answer
  return answer.replaceAll(GAP, (whole, inside: string) => readGap(inside).accepted[0] ?? whole)
}

/**
 * Reads the inside of a gap.
 * @example readGap('72|[ ] 24|[ ] 48') // { accepted: ['72'], wrong: ['24', '48'] }
 */
export function readGap(inside: string): Gap {
  const texts = textsOfGap(inside)
  return {
    accepted: texts.filter(({ isRight }) => isRight).map(({ text }) => text),
    wrong: texts.filter(({ isRight }) => !isRight).map(({ text }) => text),
  }
}

export function textsOfGap(inside: string): GapText[] {
  return inside
    .split('|')
    .map((part) => part.trim())
    .map((part) => ({ text: part.replace(MARK, '').trim(), isRight: !part.startsWith(WRONG) }))
    .filter(({ text }) => text !== '')
}

function isEmpty({ accepted, wrong }: Gap): boolean {
  return accepted.length === 0 && wrong.length === 0
}

/** Returns the total length of the options and their feedback in UTF-16 code units. */
export function lengthOfExercise(exercise: Exercise | null): number {
  return (exercise?.options ?? []).reduce((sum, { text, feedback }) => sum + text.length + (feedback?.length ?? 0), 0)
}

/** Returns the texts that a digest of the exercise covers. */
export function textsOfExercise(exercise: Exercise): string[] {
  const { form, tolerance, unit, options } = exercise
  return [
    ...[form, String(tolerance ?? ''), unit ?? ''],
    ...options.flatMap(({ text, correct, feedback }) => [String(correct), text, feedback ?? '']),
  ]
}
