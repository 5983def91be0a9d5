/** A gap of an answer, as the service reads it */
const GAP = /\{\{([^{}\n]+)\}\}/g

function firstOf(inside: string): string | undefined {
  const texts = inside.split('|').map((text) => text.trim())
  return texts.find((text) => text !== '')
}

/** Returns the first text of each gap. */
export function firstTexts(answer: string): string[] {
  return [...answer.matchAll(GAP)].flatMap(([, inside = '']) => firstOf(inside) ?? [])
}

/**
 * Returns an answer with gaps as flashcards show it; the service does the same for learners.
 * @example withoutGaps('In {{72|zweiundsiebzig}} Stunden') // 'In 72 Stunden'
 */
export function withoutGaps(answer: string): string {
  return answer.replaceAll(GAP, (whole, inside: string) => firstOf(inside) ?? whole)
}
