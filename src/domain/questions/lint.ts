import type { Details } from '../refusal.js'
import { toPlainText } from '../search/plain-text.js'
import type { Exercise } from './exercise.js'
import { readNumber } from './number.js'

/** Rules for good choices; docs/fragen.md has a section for each rule, and the app shows these sections. */
export const RULES = [
  'few-options',
  'long-key',
  'one-condition',
  'absolute-words',
  'repeated-word',
  'duplicates',
  'all-of-these',
  'unsorted-numbers',
  'plain-negation',
] as const

export type Rule = (typeof RULES)[number]

/** A probable weakness of a question */
export interface LintFinding {
  rule: Rule
  /** Stable name in snake_case for programs: that of the rule */
  code: string
  /** Values of the message */
  details: Details
  /** German sentence */
  message: string
}

interface Choice {
  text: string
  /** Lower-case words */
  words: string[]
  correct: boolean
}

/** A right answer is too long if it exceeds the median length of wrong answers by this factor and `LONG_DIFFERENCE`. */
const LONG_FACTOR = 1.5
const LONG_DIFFERENCE = 15
const MIN_OPTIONS = 3
/** Minimum length of a word of the question that can hint at the answer */
const MIN_WORD_LENGTH = 5

const CONDITION =
  /(?<!\p{L})(?:wenn|falls|sofern|solange|außer|es sei denn|mit ausnahme|in der regel|meist(?:ens)?|üblicherweise|unter umständen|je nach)(?!\p{L})/iu
const ABSOLUTE =
  /(?<!\p{L})(?:immer|nie|niemals|stets|alle[nrs]?|keine?[mnrs]?|jede[mnrs]?|ausschließlich|grundsätzlich)(?!\p{L})/iu
const ALL_OF_THESE =
  /(?<!\p{L})(?:(?:alle|keine[rs]?|nichts|beides?|sämtliche)\s+(?:(?:von|der|den|dies\p{L}*)\s+)*(?:genannte\p{L}*|obige\p{L}*|oben\p{L}*|antworten|aussagen|möglichkeiten)|(?:a und b|nichts davon|keine davon|alle davon))(?!\p{L})/iu
const NEGATION = /(?<!\p{L})(?:nicht|kein(?:e[mnrs]?)?|ohne|nie|niemals)(?!\p{L})/iu
/** Emphasis: Markdown, or a negation in capitals */
const EMPHASIS = /\*[^*\n]+\*|_[^_\n]+_|`[^`\n]*`|(?<!\p{L})(?:NICHT|KEINE?[MNRS]?|NIE)(?!\p{L})/gu
/** Frequent words of at least `MIN_WORD_LENGTH` letters that do not hint at the answer */
const COMMON = new Set(
  'werden welche welcher welches wessen warum wofür womit wodurch heißt bedeutet macht nicht einen einem einer eines dieser diese dieses zwischen folgende folgenden lautet gehört'.split(
    ' ',
  ),
)

/**
 * Returns the probable weaknesses of a choice, one at most for each rule. For other forms, the list is empty.
 * @example lintQuestion({ question: 'F', answer: 'A', exercise: null }) // []
 */
export function lintQuestion(card: { question: string; answer: string; exercise: Exercise | null }): LintFinding[] {
  const { exercise } = card
  if (exercise?.form !== 'choice') return []
  const choices = exercise.options.map(({ text, correct }) => choiceOf(text, correct))
  if (!choices.some(({ correct }) => correct)) choices.unshift(choiceOf(card.answer, true))
  const question = plainOf(card.question)
  return [
    ...lintNumber(choices),
    ...lintLength(choices),
    ...lintConditions(choices),
    ...lintAbsoluteWords(choices),
    ...lintRepeatedWords(question, choices),
    ...lintDuplicates(choices),
    ...lintAllOfThese(choices),
    ...lintOrder(choices),
    ...lintNegation(card.question),
  ]
}

function choiceOf(source: string, correct: boolean): Choice {
  const text = plainOf(source)
  return { text, words: wordsOf(text), correct }
}

/** Converts Markdown to plain text. Skips the slow parser for text without special characters. */
function plainOf(source: string): string {
  return /[\\*_`~[\]<>&#|!\n]/.test(source) ? toPlainText(source) : source
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function lintNumber({ length }: Choice[]): LintFinding[] {
  if (length >= MIN_OPTIONS) return []
  const message = `Nur ${length} Antworten zur Auswahl: ab drei hilft Raten weniger`
  return [{ rule: 'few-options', code: 'few_options', details: { options: length }, message }]
}

function lintLength(choices: Choice[]): LintFinding[] {
  const wrong = choices.filter(({ correct }) => !correct).map(({ text }) => text.length)
  const middle = wrong.sort((a, b) => a - b)[Math.floor(wrong.length / 2)] ?? 0
  const long = choices.find(
    ({ text, correct }) => correct && text.length > LONG_FACTOR * middle && text.length >= middle + LONG_DIFFERENCE,
  )
  if (long === undefined) return []
  const message = 'Die richtige Antwort ist viel länger als die anderen und verrät sich dadurch'
  return [{ rule: 'long-key', code: 'long_key', details: {}, message }]
}

function lintConditions(choices: Choice[]): LintFinding[] {
  const some = choices.filter(({ text }) => CONDITION.test(text))
  if (some.length !== 1 || choices.length < MIN_OPTIONS) return []
  const answer = shown(some[0])
  const message = `Nur eine Antwort hat eine Einschränkung („${answer}“) und fällt dadurch auf`
  return [{ rule: 'one-condition', code: 'one_condition', details: { answer }, message }]
}

function lintAbsoluteWords(choices: Choice[]): LintFinding[] {
  const some = choices.filter(({ text }) => ABSOLUTE.test(text) && !ALL_OF_THESE.test(text))
  if (some.length === 0 || some.some(({ correct }) => correct)) return []
  const word = ABSOLUTE.exec(some[0]?.text ?? '')?.[0] ?? ''
  const message = `„${word}“ steht nur in falschen Antworten und verrät sie`
  return [{ rule: 'absolute-words', code: 'absolute_words', details: { word }, message }]
}

function lintRepeatedWords(question: string, choices: Choice[]): LintFinding[] {
  const wrong = new Set(choices.filter(({ correct }) => !correct).flatMap(({ words }) => words))
  const asked = new Set(wordsOf(question).filter((word) => word.length >= MIN_WORD_LENGTH && !COMMON.has(word)))
  const right = choices.filter(({ correct }) => correct).flatMap(({ words }) => words)
  const word = right.find((one) => asked.has(one) && !wrong.has(one))
  if (word === undefined) return []
  const message = `Nur die richtige Antwort wiederholt ein Wort der Frage: „${word}“`
  return [{ rule: 'repeated-word', code: 'repeated_word', details: { word: shorten(word) }, message }]
}

function lintDuplicates(choices: Choice[]): LintFinding[] {
  const seen = new Set<string>()
  for (const choice of choices) {
    // An option such as `<` has no words.
    const key = choice.words.join(' ') || choice.text
    if (seen.has(key)) {
      const answer = shown(choice)
      const message = `Die Antwort „${answer}“ steht zweimal zur Auswahl`
      return [{ rule: 'duplicates', code: 'duplicate_answers', details: { answer }, message }]
    }
    seen.add(key)
  }
  return []
}

function lintAllOfThese(choices: Choice[]): LintFinding[] {
  const one = choices.find(({ text }) => ALL_OF_THESE.test(text))
  if (one === undefined) return []
  const answer = shown(one)
  const message = `„${answer}“ ist keine eigene Antwort; sind mehrere richtig, bekommt jede ein [x]`
  return [{ rule: 'all-of-these', code: 'all_of_these', details: { answer }, message }]
}

function lintOrder(choices: Choice[]): LintFinding[] {
  const numbers = choices.map(({ text }) => readNumber(/^[-+−]?[\d.,]+/.exec(text)?.[0] ?? ''))
  const units = new Set(choices.map(({ text }) => text.replace(/^[-+−]?[\d.,]+/, '').trim()))
  if (choices.length < MIN_OPTIONS || units.size > 1) return []
  const values = numbers.filter((number) => typeof number === 'number')
  if (values.length < numbers.length) return []
  const up = values.every((value, index) => index === 0 || value >= (values[index - 1] as number))
  const down = values.every((value, index) => index === 0 || value <= (values[index - 1] as number))
  if (up || down) return []
  const message = 'Die Zahlen stehen nicht der Größe nach'
  return [{ rule: 'unsorted-numbers', code: 'unsorted_numbers', details: {}, message }]
}

function lintNegation(question: string): LintFinding[] {
  const word = NEGATION.exec(question.replaceAll(EMPHASIS, ''))?.[0]
  if (word === undefined) return []
  const message = `„${word}“ in der Frage wird leicht überlesen: hebe es hervor (**${word}**)`
  return [{ rule: 'plain-negation', code: 'plain_negation', details: { word }, message }]
}

const SHOWN_LENGTH = 40

function shown(choice: Choice | undefined): string {
  return shorten(choice?.text ?? '')
}

function shorten(text: string): string {
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH).toWellFormed().trimEnd()}…`
}
