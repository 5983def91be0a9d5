/** Gap in an answer, such as `{{72|zweiundsiebzig}}`; the service uses the same syntax */
const GAP = /\{\{([^{}\n]+)\}\}/g

/** Prefix of a wrong text in a gap that offers choices */
const WRONG = '[ ]'

function firstOf(inside: string): string | undefined {
  const rights = inside.split('|').filter((text) => !text.trim().startsWith(WRONG))
  return rights.map((text) => text.trim().replace(/^\[[xX]\]\s*/, '')).find((text) => text !== '')
}

/** Returns the number of gaps that offer choices. */
export function countChoices(answer: string): number {
  const gaps = [...answer.matchAll(GAP)].map(([, inside = '']) => inside.split('|'))
  return gaps.filter((texts) => texts.some((text) => text.trim().startsWith(WRONG))).length
}

/** Returns the first right text of each gap. Omits gaps without a right text. */
export function firstTexts(answer: string): string[] {
  return [...answer.matchAll(GAP)].flatMap(([, inside = '']) => firstOf(inside) ?? [])
}

/**
 * Replaces each gap with its first right text, as flashcards show it. A gap without a right text is unchanged. The
 * service applies the same rule for learners.
 * @example withoutGaps('In {{72|zweiundsiebzig}} Stunden') // 'In 72 Stunden'
 */
export function withoutGaps(answer: string): string {
  return answer.replaceAll(GAP, (whole, inside: string) => firstOf(inside) ?? whole)
}
