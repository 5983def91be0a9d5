/**
 * Repetitions in 120 days by desired retention, simulated for 20 learners (docs/reviews.md): `[desired retention,
 * repetitions]`
 */
const SIMULATED = [
  [0.8, 4_625],
  [0.85, 6_069],
  [0.9, 8_081],
  [0.95, 10_634],
] as const

/** The default of the service */
const USUAL = 0.9
const USUAL_COST = 8_081

/** Returns the repetitions at a desired retention, linearly interpolated. */
export function repetitionsAt(retention: number): number {
  const after = SIMULATED.findIndex(([wish]) => wish >= retention)
  const upper = after === -1 ? SIMULATED.length - 1 : Math.max(after, 1)
  const [x0, y0] = SIMULATED[upper - 1] as readonly [number, number]
  const [x1, y1] = SIMULATED[upper] as readonly [number, number]
  return y0 + ((retention - x0) / (x1 - x0)) * (y1 - y0)
}

/** Returns a sentence comparing the cost with that of the default. */
export function costOf(retention: number): string {
  const change = Math.round((repetitionsAt(retention) / USUAL_COST - 1) * 100)
  const forgotten = Math.round((1 - retention) * 100)
  const known = `Von hundert fälligen Karten sind etwa ${forgotten} vergessen.`
  if (Math.abs(retention - USUAL) < 0.005) return `${known} Das ist der übliche Wert.`
  const amount = Math.max(Math.round(Math.abs(change) / 5) * 5, 5)
  return `${known} Das sind etwa ${amount} % ${change > 0 ? 'mehr' : 'weniger'} Wiederholungen als bei 90 %.`
}
