import type { ResponseBody } from '../../../api/types.js'
import { localDayOf, weekdayDate } from '../../../words/dates.js'
import { LOCALE } from '../../../words/locale.js'
import { countOf } from '../../../words/numbers.js'

type Question = ResponseBody<'/api/content/tests/{slug}/statistics'>['questions'][number]
export type QuestionReport = NonNullable<Question['report']>
type OptionReport = QuestionReport['options'][number]
type Flag = QuestionReport['flags'][number]

/** Advice for an editor: its sentences, and the wrong options to which they refer */
export interface Hint {
  text: string
  options: string[]
}

/**
 * Returns the advice for a flag. Selects options only by counts that the page shows, so that the advice reveals no
 * hidden count.
 */
export function hintOf(flag: Flag, options: readonly OptionReport[]): Hint {
  const wrong = options.filter(({ correct }) => !correct)
  switch (flag) {
    case 'never_chosen': {
      const candidates = wrong.filter(({ count }) => count === null).map(({ text }) => text)
      const start = candidates.length === 1 ? 'Diese falsche Antwort' : 'Mindestens eine dieser falschen Antworten'
      return { text: `${start} wählt niemand. Besser ist ein Irrtum, den es wirklich gibt.`, options: candidates }
    }
    case 'more_than_key': {
      const most = Math.max(...wrong.map(({ count }) => count ?? 0))
      return {
        text: 'Eine falsche Antwort wird öfter gewählt als die richtige. Stimmt die Lösung, und ist die Frage eindeutig?',
        options: wrong.filter(({ count }) => count === most).map(({ text }) => text),
      }
    }
    case 'negative_correlation':
      return {
        text: 'Wer sonst gut abschneidet, liegt hier eher falsch. Das spricht für einen Fehler in Frage oder Lösung.',
        options: [],
      }
    case 'hasty':
      return {
        text: 'Die meisten antworten in weniger als 3 Sekunden: Die Frage wird kaum gelesen, oder sie verrät sich.',
        options: [],
      }
  }
}

/**
 * Returns a note with the day of a count; an empty string if the count is hidden or as old as the rest of the report.
 * @example ageNote('2026-12-03T09:00:00Z', '2026-11-25T10:00:00Z') // 'Stand Do., 3. Dezember 2026'
 */
export function ageNote(time: string | null, reportTime: string | null): string {
  return time === null || time === reportTime ? '' : `Stand ${weekdayDate(localDayOf(new Date(time)))}`
}

const EASY = 0.9
const HARD = 0.4

/**
 * Describes the difficulty of a question, given the share of right answers.
 * @example facilityWords(0.95) // 'leicht'
 */
export function facilityWords(facility: number): string {
  if (facility >= EASY) return /* text */ 'leicht'
  return facility < HARD ? /* text */ 'schwer' : /* text */ 'mittelschwer'
}

/**
 * Limits of the correlation that are usual in classical test theory. At `GOOD_CORRELATION` or more, a question
 * distinguishes good from weak attempts well; at `MODERATE_CORRELATION` or more, moderately.
 */
const GOOD_CORRELATION = 0.3
const MODERATE_CORRELATION = 0.2

/**
 * Describes how well a question distinguishes good from weak attempts.
 * @example correlationWords(0.36) // 'trennt gut'
 */
export function correlationWords(correlation: number): string {
  if (correlation >= GOOD_CORRELATION) return 'trennt gut'
  if (correlation >= MODERATE_CORRELATION) return 'trennt mäßig'
  return correlation < 0 ? 'trennt verkehrt' : 'trennt kaum'
}

/**
 * Formats a correlation with two decimals and a typographic minus sign.
 * @example correlationNumber(-0.03) // '−0,03'
 */
export function correlationNumber(correlation: number): string {
  return correlation
    .toLocaleString(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    .replace(/^-0,00$/, '0,00')
    .replace('-', '−')
}

/**
 * Formats a number of seconds, rounded to whole seconds.
 * @example secondsWords(21.4) // '21 Sekunden'
 */
export function secondsWords(seconds: number): string {
  return seconds < 1 ? 'unter 1 Sekunde' : countOf(Math.round(seconds), 'Sekunde', 'Sekunden')
}
