import type { Session } from './session.js'

const RECENT_RATINGS = 8
const MIN_HARD = 5
const REMIND_EVERY_MS = 3 * 24 * 60 * 60 * 1000

/**
 * Returns whether to remind the learner that „Schwer“ means that the card was known. Returns true if the last rating
 * and at least five of the last eight are „Schwer“, unless a reminder was shown in the last three days.
 */
export function isHardOverused({ steps }: Session, remindedAt: number | undefined, now: number): boolean {
  if (remindedAt !== undefined && Math.abs(now - remindedAt) < REMIND_EVERY_MS) return false
  const ratings = steps.flatMap((step) => (step.kind === 'rated' ? [step.rating] : []))
  const latest = ratings.slice(-RECENT_RATINGS)
  return latest.at(-1) === 'hard' && latest.filter((rating) => rating === 'hard').length >= MIN_HARD
}
