import type { ResponseBody } from '../../../api/types.js'
import { LOCALE } from '../../../words/locale.js'
import { count } from '../../../words/numbers.js'

type TestSummary = ResponseBody<'/api/content/tests'>['tests'][number]

type Tone = 'plain' | 'good' | 'warn'

export function stateOf({
  state,
  has_changes,
}: Pick<TestSummary, 'state' | 'has_changes'>): { text: string; tone: Tone }[] {
  if (state === 'archived') return [{ text: 'archiviert', tone: 'plain' }]
  if (state === 'draft') return [{ text: 'Entwurf', tone: 'warn' }]
  const published = { text: 'veröffentlicht', tone: 'good' as const }
  return has_changes ? [published, { text: 'seitdem geändert', tone: 'warn' }] : [published]
}

/**
 * Formats the chance of passing by guessing, given in percent.
 * @example guessWords(4.23) // '4,2 %'
 */
export function guessWords(guessPercent: number): string {
  if (guessPercent < 0.1) return 'unter 0,1 %'
  return `${guessPercent.toLocaleString(LOCALE, { maximumFractionDigits: 1 })} %`
}

/** Number of digits from which a number is shown as „mehr als eine Billion“ */
const MANY_DIGITS = 13

/**
 * Formats the number of different sets of questions that a test can draw.
 * @example drawWords('75287520') // '75.287.520'
 */
export function drawWords(draws: string): string {
  return draws.length >= MANY_DIGITS ? 'mehr als eine Billion' : count(Number(draws))
}

/**
 * Formats the number of questions in an attempt.
 * @example perAttempt({ questions: 12, question_count: 8 }) // '8 von 12 Fragen je Versuch'
 */
export function perAttempt({ questions, question_count }: Pick<TestSummary, 'questions' | 'question_count'>): string {
  if (questions === question_count) return questions === 1 ? 'eine Frage' : `${count(questions)} Fragen`
  return `${count(question_count)} von ${count(questions)} Fragen je Versuch`
}
