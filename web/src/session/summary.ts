import type { Session } from './session.js'

export interface Summary {
  cards: number
  minutes: number
  /** The share of cards that were known at their first showing here; null without any. */
  known: number | null
}

export function summarize({ steps }: Session): Summary {
  const firstKnown = new Map<number, boolean>()
  let duration = 0
  for (const step of steps) {
    if (step.kind !== 'rated') continue
    const { card_id } = step.waiting.card
    if (!firstKnown.has(card_id)) firstKnown.set(card_id, step.rating !== 'again')
    duration += step.duration_ms
  }
  const known = [...firstKnown.values()].filter(Boolean).length
  return {
    cards: firstKnown.size,
    minutes: duration === 0 ? 0 : Math.max(Math.round(duration / 60_000), 1),
    known: firstKnown.size === 0 ? null : known / firstKnown.size,
  }
}
