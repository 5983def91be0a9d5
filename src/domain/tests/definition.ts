import type { MultipleRule } from '../questions/judge.js'

/** Questions of a deck: those of a level, or the listed cards; `draw` of them are drawn per attempt. */
export interface TestSection {
  /** Slug */
  deck: string
  /** Null for all levels */
  level: string | null
  /** Keys of cards as in the deck's file; null for all */
  cards: string[] | null
  /** Null for all */
  draw: number | null
}

/** A test as its editors define it; plain JSON, with all defaults filled in. */
export interface TestDefinition {
  name: string
  description: string
  /** Markdown that is shown before the start */
  introduction: string
  /** From 1 to 100 */
  pass_percent: number
  multiple: MultipleRule
  /** Null: unlimited */
  attempts: number | null
  wait_minutes: number
  /** Null: none */
  time_limit_minutes: number | null
  shuffle: boolean
  /** `one`: one question per page; `all`: all on one page */
  pages: 'one' | 'all'
  access: 'open' | 'assigned'
  review: 'none' | 'result' | 'explanations'
  review_when: 'now' | 'passed_or_last' | 'closed'
  /** First and last day as `YYYY-MM-DD`; null without a limit */
  opens: string | null
  closes: string | null
  sections: TestSection[]
}
