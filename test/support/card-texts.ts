import { CARD_PARTS, type CardPart, type CardTexts } from '../../src/domain/content/card-texts.js'
import { digestCard } from '../../src/domain/content/plan/digest.js'

/** Returns the digests of a stored card with these texts, by the names of the columns in `StoredCard`. */
export function digestColumns(card: CardTexts) {
  const digests = digestCard(card)
  const entries = CARD_PARTS.map((part) => [`${part}_digest`, digests[part]])
  return Object.fromEntries(entries) as Record<`${CardPart}_digest`, string>
}
