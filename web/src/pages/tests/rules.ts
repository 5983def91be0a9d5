import { absoluteDay } from '../../words/dates.js'
import { moment } from '../../words/moments.js'
import { countOf, minutes } from '../../words/numbers.js'
import type { Test, TestSummary } from './types.js'

const MINUTE_MS = 60_000

export const questionsOf = ({ question_count }: TestSummary) => countOf(question_count, 'Frage', 'Fragen')

/**
 * Formats the time limit with the person's extra time; undefined without a limit.
 * @example limitOf({ time_limit_minutes: 20, extra_time_percent: 50 }) // '30 Minuten'
 */
export function limitOf({ time_limit_minutes, extra_time_percent = 0 }: Partial<Test>): string | undefined {
  if (time_limit_minutes == null) return undefined
  return minutes(time_limit_minutes * (1 + extra_time_percent / 100) * MINUTE_MS)
}

/**
 * Formats the remaining attempts; undefined if there is no limit.
 * @example attemptsLeft(test) // 'noch 2 Versuche'
 */
export function attemptsLeft({ attempts_left }: TestSummary): string | undefined {
  if (attempts_left === null) return undefined
  return attempts_left === 0 ? 'kein Versuch mehr übrig' : `noch ${countOf(attempts_left, 'Versuch', 'Versuche')}`
}

/**
 * Returns a sentence if the test is not open yet, or no longer open; undefined if it is open.
 * @example closedNow(test, '2026-11-21') // 'Der Test öffnet am Samstag, 28. November 2026.'
 */
export function closedNow({ opens, closes }: TestSummary, today: string): string | undefined {
  if (opens !== null && today < opens) return `Der Test öffnet am ${absoluteDay(opens)}.`
  if (closes !== null && today > closes) return `Der Test war bis ${absoluteDay(closes)} offen.`
  return undefined
}

/**
 * Returns whether the person cannot begin an attempt because the test requires an assignment. An open attempt can
 * always be continued.
 */
export function needsAssignment({ access, assigned, open_attempt_id }: TestSummary): boolean {
  return access === 'assigned' && !assigned && open_attempt_id === null
}

const MULTIPLE = {
  partial:
    'Sind mehrere Antworten richtig, zählt jede: Für jede falsch gesetzte oder vergessene gibt es Abzug, weniger als null Punkte aber nie.',
  all: 'Sind mehrere Antworten richtig, zählt die Frage nur, wenn genau die richtigen gewählt sind.',
}

const WHEN = {
  now: 'gleich nach dem Abgeben',
  passed_or_last: 'sobald du bestanden hast oder kein Versuch mehr übrig ist',
  closed: 'sobald der Test geschlossen ist',
}

function reviewRule({ review, review_when, attempts, closes }: Test): string {
  if (review === 'none') return 'Ein Ergebnis wird dir hier nicht gezeigt.'
  const closing = closes === null ? WHEN.closed : `nach dem ${absoluteDay(closes)}`
  const when = review_when === 'closed' ? closing : WHEN[review_when]
  if (review === 'result') {
    return `Ob du bestanden hast, siehst du ${review_when === 'closed' ? closing : WHEN.now}. Die Lösungen werden nicht gezeigt.`
  }
  if (review_when === 'passed_or_last') {
    const solved = attempts === null ? 'sobald du bestanden hast' : when
    return `Ob du bestanden hast, siehst du ${WHEN.now}; die Lösungen mit Erklärungen, ${solved}.`
  }
  return `Ergebnis und Lösungen mit Erklärungen siehst du ${when}.`
}

/** Describes the number of attempts. With additional attempts, more may be left than the test allows. */
function attemptsRule({ attempts, attempts_left }: Test): string {
  if (attempts === null || attempts_left === null) return 'Du kannst den Test so oft machen, wie du willst.'
  if (attempts_left > attempts) return `Du hast noch ${countOf(attempts_left, 'Versuch', 'Versuche')}.`
  const remaining =
    attempts_left === attempts ? '' : `, davon ${attempts_left === 0 ? 'keinen' : `noch ${attempts_left}`} übrig`
  return `Du hast ${countOf(attempts, 'Versuch', 'Versuche')}${remaining}.`
}

export function rulesOf(test: Test): string[] {
  const { wait_minutes, closes, pass_percent, extra_time_percent } = test
  const limit = limitOf(test)
  const days = closes === null ? '' : ` Offen bis ${absoluteDay(closes)}.`
  return [
    `${questionsOf(test)}. Bestanden ist der Test ab ${pass_percent} %.`,
    limit === undefined
      ? `Keine Zeitbegrenzung: Du kannst unterbrechen und später weitermachen, auch auf einem anderen Gerät.${days}`
      : `Du hast ${limit}${extra_time_percent > 0 ? ' (mit deinem Zeitzuschlag)' : ''}. Die Zeit läuft weiter, auch wenn du die Seite schließt.${days}`,
    attemptsRule(test),
    ...(wait_minutes > 0 ? [`Zwischen zwei Versuchen liegen mindestens ${minutes(wait_minutes * MINUTE_MS)}.`] : []),
    MULTIPLE[test.multiple],
    'Reihenfolgen und Lücken zählen anteilig: so viel, wie an der richtigen Stelle steht.',
    reviewRule(test),
    ...(test.open_questions
      ? ['Offene Fragen: Der Test fragt auch nach Karten, die du hier nachlesen und lernen kannst.']
      : []),
  ]
}

/**
 * Returns a sentence about when the next attempt may begin; undefined if it may begin now.
 * @example waitOf(test) // 'Nächster Versuch ab 21.11.2026, 17:05 Uhr.'
 */
export function waitOf({ next_attempt_at }: TestSummary): string | undefined {
  return next_attempt_at === null ? undefined : `Nächster Versuch ab ${moment(next_attempt_at)} Uhr.`
}
