import { percent } from '../../words/numbers.js'

/** Number of reviews below which a comparison is not meaningful */
const MIN_REVIEWS = 50
/** Maximum difference, as a share from 0 to 1, at which the reached retention matches the desired one */
const TOLERANCE = 0.02

/**
 * Compares the reached retention with the desired retention in sentences.
 * @example judgeRetention({ reviews: 200, rate: 0.9 }, 0.9) // 'Du hast 90 % gewusst, gewünscht sind 90 %. Das passt.'
 */
export function judgeRetention(
  { reviews, rate }: { reviews: number; rate: number | null },
  desired: number | undefined,
): string {
  if (rate === null || reviews === 0) return 'In dieser Zeit hast du noch keine Karte wiedergesehen.'
  const reached = `Du hast ${percent(rate)} gewusst`
  if (desired === undefined) return `${reached}.`
  const compared = `${reached}, gewünscht sind ${percent(desired)}.`
  if (reviews < MIN_REVIEWS) return `${compared} Für ein Urteil sind es noch wenige Bewertungen.`
  if (rate < desired - TOLERANCE) return `${compared} Das ist etwas weniger.`
  if (rate > desired + TOLERANCE) return `${compared} Das ist mehr als nötig.`
  return `${compared} Das passt.`
}
