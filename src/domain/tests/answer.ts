import type { Answer } from '../questions/judge.js'
import { ONE_ANSWER_ONLY } from './refusals.js'

export interface GivenAnswer {
  option_ids?: string[] | undefined
  text?: string | undefined
  item_ids?: string[] | undefined
  gaps?: Record<string, string> | undefined
}

/**
 * Parses the answer of a request.
 * @throws ONE_ANSWER_ONLY unless exactly one kind of answer is given
 * @example parseAnswer({ text: '72' }) // { text: '72' }
 */
export function parseAnswer({ option_ids, text, item_ids, gaps }: GivenAnswer): Answer {
  const answers: Answer[] = []
  if (option_ids !== undefined) answers.push({ option_ids })
  if (text !== undefined) answers.push({ text })
  if (item_ids !== undefined) answers.push({ item_ids })
  if (gaps !== undefined) answers.push({ gaps })
  const [answer, ...more] = answers
  if (answer === undefined || more.length > 0) throw ONE_ANSWER_ONLY
  return answer
}

/** Returns whether two answers are equal, regardless of the order of options and gaps. */
export function isSameAnswer(one: Answer, other: Answer): boolean {
  return JSON.stringify(canonical(one)) === JSON.stringify(canonical(other))
}

function canonical(answer: Answer): unknown {
  if ('option_ids' in answer) return { option_ids: [...answer.option_ids].sort() }
  if ('gaps' in answer) return { gaps: Object.entries(answer.gaps).sort(([a], [b]) => (a < b ? -1 : 1)) }
  return answer
}
