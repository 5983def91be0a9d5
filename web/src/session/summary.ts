import { doneOf, type Session } from './session.js'

export interface Summary {
  cards: number
  minutes: number
  /** Share of the cards that were known when first rated today, from 0 to 1; null if no card was rated */
  known: number | null
}

export function summarize(session: Pick<Session, 'earlier' | 'steps'>): Summary {
  const firstKnown = new Map<number, boolean>()
  let duration = 0
  for (const { card_id, rating, duration_ms } of doneOf(session)) {
    if (!firstKnown.has(card_id)) firstKnown.set(card_id, rating !== 'again')
    duration += duration_ms
  }
  const known = [...firstKnown.values()].filter(Boolean).length
  return {
    cards: firstKnown.size,
    minutes: duration === 0 ? 0 : Math.max(Math.round(duration / 60_000), 1),
    known: firstKnown.size === 0 ? null : known / firstKnown.size,
  }
}
