import { countOf } from '../../../words/numbers.js'
import type { Mail } from '../admin-queries.js'

export const KINDS: Readonly<Record<Mail['kind'], string>> = {
  tasks: 'Aufgaben',
  lead_digest: 'Überfälliges im Team',
  due_cards: 'Fällige Karten',
  confirm_address: 'Adresse bestätigen',
}

/** States in the order of the filter */
export const STATES: Readonly<
  Record<Mail['state'], { label: string; tone: 'plain' | 'accent' | 'good' | 'bad' | 'warn' }>
> = {
  waiting: { label: 'Wartet', tone: 'plain' },
  sending: { label: 'Wird gesendet', tone: 'accent' },
  sent: { label: 'Gesendet', tone: 'good' },
  failed: { label: 'Gescheitert', tone: 'bad' },
  unknown: { label: 'Unklar', tone: 'warn' },
}

/** How often a mail was tried; empty for one that was sent at once or not yet tried. */
export function attemptsInWords({ attempts, state }: Pick<Mail, 'attempts' | 'state'>): string {
  return attempts === 0 || (attempts === 1 && state === 'sent') ? '' : countOf(attempts, 'Versuch', 'Versuche')
}
