import { percent } from '../../words/numbers.js'

/** Number of reviews below which a comparison is not meaningful */
const MIN_REVIEWS = 50
/** Maximum difference from the desired retention, as a share, that counts as reaching it */
const TOLERANCE = 0.02

/** Returns a sentence that compares the reached retention with the desired retention. */
export function judgeRetention(
  { reviews, rate }: { reviews: number; rate: number | null },
  wish: number | undefined,
): string {
  if (rate === null || reviews === 0) return 'In dieser Zeit hast du noch keine Karte wiedergesehen.'
  const reached = `Du hast ${percent(rate)} gewusst`
  if (wish === undefined) return `${reached}.`
  const compared = `${reached}, gewünscht sind ${percent(wish)}.`
  if (reviews < MIN_REVIEWS) return `${compared} Für ein Urteil sind es noch wenige Bewertungen.`
  if (rate < wish - TOLERANCE) return `${compared} Das ist etwas weniger.`
  if (rate > wish + TOLERANCE) return `${compared} Das ist mehr als nötig.`
  return `${compared} Das passt.`
}
