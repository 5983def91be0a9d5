import { CARD_PARTS, type CardPart, type CardTexts, eachText, TEXT_RULES } from '../../src/domain/content/card-texts.js'
import { digestCard } from '../../src/domain/content/plan/digest.js'
import type fc from './property.js'

/** Returns the digests of a stored card with these texts, by the names of the columns in `StoredCard`. */
export function digestColumns(card: CardTexts) {
  const digests = digestCard(card)
  const entries = CARD_PARTS.map((part) => [`${part}_digest`, digests[part]])
  return Object.fromEntries(entries) as Record<`${CardPart}_digest`, string>
}

/**
 * Returns arbitraries of all texts of a card, for `fc.record`.
 * @param label draws texts of one line
 */
export function drawTexts(markdown: fc.Arbitrary<string>, label: fc.Arbitrary<string>) {
  return eachText((name) => (TEXT_RULES[name].isMarkdown ? markdown : label))
}
