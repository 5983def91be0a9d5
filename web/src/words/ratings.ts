export type Rating = 'again' | 'hard' | 'medium' | 'easy'

export interface RatingWords {
  rating: Rating
  label: string
  /** Key that gives the rating */
  key: string
  meaning: string
}

/** The four ratings in display order; the words are the same everywhere. */
export const RATINGS: readonly RatingWords[] = [
  { rating: 'again', label: 'Nochmal', key: '1', meaning: 'Nicht gewusst. Die Karte kommt heute noch einmal.' },
  { rating: 'hard', label: 'Schwer', key: '2', meaning: 'Gewusst, aber nur mit Mühe.' },
  { rating: 'medium', label: 'Gut', key: '3', meaning: 'Gewusst, nach kurzem Überlegen.' },
  { rating: 'easy', label: 'Leicht', key: '4', meaning: 'Sofort gewusst.' },
]
