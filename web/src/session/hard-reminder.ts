import type { Session } from './session.js'

const LOOKED_AT = 8
const MANY = 5
const REST_MS = 3 * 24 * 60 * 60 * 1000

/**
 * Whether to remind the learner that „Schwer“ means known: after five of the last eight ratings, at most every three
 * days. About one in ten learners uses it for unknown cards.
 */
export function isHardOverused({ steps }: Session, remindedAt: number | undefined, now: number): boolean {
  if (remindedAt !== undefined && Math.abs(now - remindedAt) < REST_MS) return false
  const ratings = steps.flatMap((step) => (step.kind === 'rated' ? [step.rating] : []))
  const latest = ratings.slice(-LOOKED_AT)
  return latest.at(-1) === 'hard' && latest.filter((rating) => rating === 'hard').length >= MANY
}
