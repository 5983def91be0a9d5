import type { GivenAnswer } from '../../storage/answer.js'

export type { GivenAnswer }

export type Form = 'single' | 'multiple' | 'text' | 'number' | 'order' | 'gaps'

export interface TestSummary {
  slug: string
  name: string
  description: string
  question_count: number
  pass_percent: number
  time_limit_minutes: number | null
  /** Null if unlimited */
  attempts_left: number | null
  open_attempt_id: number | null
  passed: boolean | null
  opens: string | null
  closes: string | null
  open_questions: boolean
  next_attempt_at: string | null
  access: 'open' | 'assigned'
  /** Whether an open task of the user includes the test */
  assigned: boolean
  multiple: 'partial' | 'all'
  review: 'none' | 'result' | 'explanations'
  review_when: 'now' | 'passed_or_last' | 'closed'
  /** Null if unlimited */
  attempts: number | null
  wait_minutes: number
  pages: 'one' | 'all'
}

export interface OwnAttempt {
  id: number
  number: number
  started_at: string
  ended_at: string | null
  state: 'open' | 'submitted'
  passed: boolean | null
  score_percent: number | null
  review_available: boolean
}

export interface Test extends TestSummary {
  /** Markdown */
  introduction: string
  extra_time_percent: number
  my_attempts: OwnAttempt[]
}

/** A test with a page of the user's attempts, newest first */
export interface OwnTest {
  test: Test
  /** Number of the last attempt of the page; null on the last page */
  next_before: number | null
}

interface Part {
  id: string
  /** Markdown */
  text: string
}

export interface Question {
  /** Position in the attempt, from 0 */
  slot: number
  form: Form
  /** Markdown */
  question: string
  options?: Part[]
  items?: Part[]
  gaps?: { id: string; choices?: string[] }[]
  /** Markdown; `{{id}}` stands for a gap */
  text?: string
  unit?: string | null
  points: number
  /** Sequence number of the latest answer; 0 if there is none */
  seq: number
  answer: GivenAnswer | null
}

export interface Attempt {
  id: number
  slug: string
  name: string
  number: number
  pages: 'one' | 'all'
  state: 'open' | 'submitted'
  deadline: string | null
  seconds_left: number | null
  questions: Question[]
}

export interface Outcome {
  id: number
  state: 'submitted'
  passed: boolean | null
  score_percent: number | null
}

export interface ReviewedQuestion extends Omit<Question, 'options' | 'gaps' | 'seq' | 'points'> {
  /** Points from 0 to 1; null after the answers were deleted */
  points: number | null
  options?: (Part & { correct: boolean; chosen: boolean; feedback: string | null })[]
  gaps?: { id: string; accepted: string[] }[]
  accepted?: string[]
  tolerance?: number
  /** Markdown */
  explanation: string
}

export interface Review {
  id: number
  slug: string
  name: string
  number: number
  started_at: string
  ended_at: string | null
  ended_by: 'person' | 'time' | null
  passed: boolean | null
  score_percent: number | null
  pass_percent: number
  answers_deleted: boolean
  /** Null if only the result is shown */
  questions: ReviewedQuestion[] | null
}
