import { LOCALE } from '../../../words/locale.js'
import { percent } from '../../../words/numbers.js'

const LANGUAGES = ['de', 'en', 'fr', 'es', 'it', 'nl', 'pl', 'tr', 'uk']
const RETENTIONS = [0.8, 0.85, 0.9, 0.93, 0.95, 0.97]
export const NO_RETENTION = ''

const names = new Intl.DisplayNames(LOCALE, { type: 'language' })

/** Returns the options for the language of a deck, including the current language if it is not one of `LANGUAGES`. */
export function languageOptions(lang: string): { value: string; label: string }[] {
  return [...new Set([...LANGUAGES, lang])].map((value) => ({ value, label: names.of(value) ?? value }))
}

/** Returns the options for the retention of a deck, including the current value if it is not one of `RETENTIONS`. */
export function retentionOptions(retention: number | null): { value: string; label: string }[] {
  const shares = [...new Set([...RETENTIONS, retention ?? 0.9])].sort()
  return [
    { value: NO_RETENTION, label: 'wie die Lernenden eingestellt haben' },
    ...shares.map((share) => ({ value: String(share), label: percent(share) })),
  ]
}

export function retentionValue(retention: number | null): string {
  return retention === null ? NO_RETENTION : String(retention)
}
