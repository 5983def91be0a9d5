import { countOf } from '../../../words/numbers.js'

export type Flag = 'never_chosen' | 'more_than_key' | 'negative_correlation' | 'hasty'

/** What an editor should look at, and why */
export const FLAGS: Record<Flag, string> = {
  never_chosen: 'Eine falsche Antwort wählt niemand. Ersetz sie durch einen Irrtum, den es wirklich gibt.',
  more_than_key:
    'Eine falsche Antwort wird öfter gewählt als die richtige. Stimmt die Lösung, und ist die Frage eindeutig?',
  negative_correlation:
    'Wer sonst gut abschneidet, liegt hier eher falsch. Das spricht für einen Fehler in Frage oder Lösung.',
  hasty: 'Die meisten antworten in weniger als 3 Sekunden: Die Frage wird kaum gelesen, oder sie verrät sich.',
}

const EASY = 0.9
const HARD = 0.4

/** @example facilityWords(0.95) // 'leicht' */
export function facilityWords(facility: number): string {
  if (facility >= EASY) return 'leicht'
  return facility < HARD ? 'schwer' : 'mittel'
}

/** @example secondsWords(21.4) // '21 Sekunden' */
export function secondsWords(seconds: number): string {
  return countOf(Math.round(seconds), 'Sekunde', 'Sekunden')
}
