export type Rating = 'again' | 'hard' | 'medium' | 'easy'

export interface RatingWords {
  rating: Rating
  label: string
  key: string
  meaning: string
}

export const RATINGS: readonly RatingWords[] = [
  { rating: 'again', label: 'Nochmal', key: '1', meaning: 'Nicht gewusst. Die Karte kommt heute noch einmal.' },
  { rating: 'hard', label: 'Schwer', key: '2', meaning: 'Gewusst, aber nur mit Mühe.' },
  { rating: 'medium', label: 'Gut', key: '3', meaning: 'Gewusst, nach kurzem Überlegen.' },
  { rating: 'easy', label: 'Leicht', key: '4', meaning: 'Sofort gewusst.' },
]
