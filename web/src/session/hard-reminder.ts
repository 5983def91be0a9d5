import type { Session } from './session.js'

const LOOKED_AT = 8
const MANY = 5
const REST_MS = 3 * 24 * 60 * 60 * 1000

/**
 * Returns whether to remind the learner that „Schwer“ means known: if the last rating and at least five of the last
 * eight are „Schwer“, and the last reminder was at least three days ago. About one in ten learners uses „Schwer“ for
 * unknown cards.
 */
export function isHardOverused({ steps }: Session, remindedAt: number | undefined, now: number): boolean {
  if (remindedAt !== undefined && Math.abs(now - remindedAt) < REST_MS) return false
  const ratings = steps.flatMap((step) => (step.kind === 'rated' ? [step.rating] : []))
  const latest = ratings.slice(-LOOKED_AT)
  return latest.at(-1) === 'hard' && latest.filter((rating) => rating === 'hard').length >= MANY
}
