/** Expected reviews of a card in its first year, ascending by desired retention */
export type Costs = readonly { desired_retention: number; reviews_per_card: number }[]

/** Costs with the default parameters, used until the learner's costs are loaded */
export const USUAL_COSTS: Costs = [
  { desired_retention: 0.8, reviews_per_card: 7.4 },
  { desired_retention: 0.9, reviews_per_card: 9.4 },
  { desired_retention: 0.97, reviews_per_card: 17 },
]

/** Default desired retention of the service */
const USUAL = 0.9

/** Returns the expected reviews of a card in its first year at a desired retention, linearly interpolated. */
export function reviewsAt(costs: Costs, retention: number): number {
  const after = costs.findIndex(({ desired_retention }) => desired_retention >= retention)
  const upper = after === -1 ? costs.length - 1 : Math.max(after, 1)
  const [low, high] = [costs[upper - 1], costs[upper]] as [Costs[number], Costs[number]]
  const share = (retention - low.desired_retention) / (high.desired_retention - low.desired_retention)
  return low.reviews_per_card + share * (high.reviews_per_card - low.reviews_per_card)
}

/**
 * Describes the effect of a desired retention: forgotten cards, and the reviews compared with the default.
 * @example costOf(0.9, costs) // 'Von hundert fälligen Karten sind etwa 10 vergessen. Das ist der übliche Wert.'
 */
export function costOf(retention: number, costs: Costs): string {
  const change = Math.round((reviewsAt(costs, retention) / reviewsAt(costs, USUAL) - 1) * 100)
  const forgotten = Math.round((1 - retention) * 100)
  const known = `Von hundert fälligen Karten sind etwa ${forgotten} vergessen.`
  if (Math.abs(retention - USUAL) < 0.005) return `${known} Das ist der übliche Wert.`
  const amount = Math.max(Math.round(Math.abs(change) / 5) * 5, 5)
  return `${known} Das sind etwa ${amount} % ${change > 0 ? 'mehr' : 'weniger'} Wiederholungen als bei 90 %.`
}
