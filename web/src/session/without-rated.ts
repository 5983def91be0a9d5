import type { Decision, Origin } from '../storage/entry.js'

type Rated = readonly { card_id: number; rating: Decision; from?: Origin | undefined }[]

/**
 * Returns the numbers of due and new cards of an older copy after the ratings since then, oldest first. Ratings outside
 * of a study session do not count, because their cards may be in neither number.
 * @param deck slug of the deck; undefined for all decks
 */
export function withoutRated({ due, new: fresh }: { due: number; new: number }, rated: Rated, deck?: string) {
  const origins = new Map<number, Origin>()
  const last = new Map<number, Decision>()
  for (const { card_id, rating, from } of rated) {
    if (from === undefined || (deck !== undefined && from.deck !== deck)) continue
    if (!origins.has(card_id)) origins.set(card_id, from)
    last.set(card_id, rating)
  }
  const begun = [...origins.values()].filter(({ isNew }) => isNew).length
  const again = [...last.values()].filter((rating) => rating === 'again').length
  return { due: Math.max(due - (origins.size - begun) + again, 0), new: Math.max(fresh - begun, 0) }
}
