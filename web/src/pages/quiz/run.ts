import type { ResponseBody } from '../../api/types.js'

type Drawn = ResponseBody<'/api/tests/practice'>['questions'][number]
/**
 * The service shortens the options of a question, so several may have the same text. A stored quiz of an earlier version
 * has no language.
 */
export type QuizQuestion = Omit<Drawn, 'lang'> & Partial<Pick<Drawn, 'lang'>>
export type QuizResult = ResponseBody<'/api/quiz/history'>['results'][number]

/**
 * State of the result. `unsure`: the result was sent, but it is not known whether the service has stored it; `before`
 * contains the timestamps of the results that were stored before this one.
 */
export type Delivery = { state: 'unsent' } | { state: 'unsure'; before: string[] } | { state: 'stored' }

export interface Subject {
  /** Slug of the deck; empty for all decks */
  deck: string
  name: string
}

/** A quiz from its first question to its result; stored to survive a reload */
export interface Run extends Subject {
  version: 1
  id: string
  questions: QuizQuestion[]
  /** Indexes of the chosen options, in the order of the questions; unanswered questions have none */
  chosen: number[]
  /** Index of the current question; equals the number of questions when the result is shown */
  at: number
  spent_ms: number
  /** Whether the run repeats wrongly answered questions; its result is not sent to the service */
  isPractice: boolean
  delivery: Delivery
  /** Ids of the cards that were rated „Nochmal“ when the result was shown */
  putBack: { cards: number[] }
}

export type View = 'question' | 'feedback' | 'result'

/** Maximum milliseconds counted for a question; a longer time means that the user was away. */
const LONGEST_MS = 5 * 60_000

export function startRun(id: string, { deck, name }: Subject, questions: QuizQuestion[], isPractice = false): Run {
  return {
    version: 1,
    id,
    deck,
    name,
    questions,
    chosen: [],
    at: 0,
    spent_ms: 0,
    isPractice,
    delivery: { state: 'unsent' },
    putBack: { cards: [] },
  }
}

export function viewOf(run: Run): View {
  if (run.at >= run.questions.length) return 'result'
  return run.chosen.length > run.at ? 'feedback' : 'question'
}

/** Returns the run unchanged if the question is already answered or does not have the option. */
export function answer(run: Run, option: number, took_ms: number): Run {
  const question = run.questions[run.at]
  if (viewOf(run) !== 'question' || question?.options[option] === undefined) return run
  const spent_ms = run.spent_ms + Math.min(Math.max(Math.round(took_ms), 0), LONGEST_MS)
  return { ...run, chosen: [...run.chosen, option], spent_ms }
}

export function proceed(run: Run): Run {
  return viewOf(run) === 'feedback' ? { ...run, at: run.at + 1 } : run
}

/** Returns whether the option is right. Compares the texts, because shortened options may be equal. */
export function isRight(question: QuizQuestion, option: number | undefined): boolean {
  return option !== undefined && question.options[option] === question.options[question.correct_index]
}

export function scoreOf({ questions, chosen }: Run): { total: number; correct: number; percent: number } {
  const total = questions.length
  const correct = questions.filter((question, at) => isRight(question, chosen[at])).length
  // Rounds like the service: half up, computed with integers.
  return { total, correct, percent: total === 0 ? 0 : Math.floor((200 * correct + total) / (2 * total)) }
}

export function wrongQuestions({ questions, chosen }: Run): QuizQuestion[] {
  return questions.filter((question, at) => chosen[at] !== undefined && !isRight(question, chosen[at]))
}

/** Returns a practice run with the wrongly answered questions and shuffled options. */
export function practise(run: Run, id: string, random: () => number): Run {
  const questions = wrongQuestions(run).map((question) => {
    const right = question.options[question.correct_index] as string
    const options = shuffle(question.options, random)
    return { ...question, options, correct_index: options.indexOf(right) }
  })
  return startRun(id, run, questions, true)
}

/** The result of a finished run that the service may not have stored yet */
export interface WaitingResult {
  /** Id of the run */
  id: string
  deck: string
  total: number
  correct: number
  delivery: Delivery
  /** Time at which the result was first to be sent (ISO 8601); results of older versions lack it */
  at?: string
}

/** Returns the result to send; undefined if the run is not finished, is a practice run, or its result is stored. */
export function resultOf(run: Run): WaitingResult | undefined {
  const { id, deck, isPractice, delivery } = run
  if (viewOf(run) !== 'result' || isPractice || delivery.state === 'stored') return undefined
  const { total, correct } = scoreOf(run)
  return { id, deck, total, correct, delivery }
}

/** Returns whether the history contains an equal result that is not one of `before`. */
export function isStored(
  { deck, total, correct }: WaitingResult,
  before: readonly string[],
  results: readonly QuizResult[],
): boolean {
  const known = new Set(before)
  return results.some(
    (result) =>
      !known.has(result.created_at) &&
      result.deck_slug === (deck || 'all') &&
      result.total_questions === total &&
      result.correct_answers === correct,
  )
}

/**
 * Returns a stored run; undefined if there is none, or if it is damaged or has the format of another version.
 * @example parseRun({ version: 2 }) // undefined
 */
export function parseRun(kept: unknown): Run | undefined {
  const run = kept as Run | null | undefined
  if (typeof run !== 'object' || run === null || run.version !== 1) return undefined
  if (!Array.isArray(run.questions) || run.questions.length === 0 || !Array.isArray(run.chosen)) return undefined
  const isWhole = run.questions.every(
    (question) => Array.isArray(question?.options) && question.options[question.correct_index] !== undefined,
  )
  const ahead = run.chosen.length - run.at
  if (!isWhole || !Number.isInteger(run.at) || ahead < 0 || ahead > 1) return undefined
  return Array.isArray(run.putBack?.cards) && run.delivery?.state !== undefined ? run : undefined
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled = [...items]
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    ;[shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T]
  }
  return shuffled
}
