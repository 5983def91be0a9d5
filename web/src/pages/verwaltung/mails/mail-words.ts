import { moment } from '../../../words/moments.js'
import { countOf } from '../../../words/numbers.js'
import type { Mail } from '../admin-queries.js'

export const KINDS: Readonly<Record<Mail['kind'], string>> = {
  tasks: 'Aufgaben',
  lead_digest: 'Überfälliges im Team',
  due_cards: 'Fällige Karten',
  confirm_address: 'Adresse bestätigen',
}

/** States, in the order of the filter options */
export const STATES: Readonly<
  Record<Mail['state'], { label: string; tone: 'plain' | 'accent' | 'good' | 'bad' | 'warn' }>
> = {
  waiting: { label: 'Wartet', tone: 'plain' },
  sending: { label: 'Wird gesendet', tone: 'accent' },
  sent: { label: 'Gesendet', tone: 'good' },
  failed: { label: 'Gescheitert', tone: 'bad' },
  unknown: { label: 'Unklar', tone: 'warn' },
}

export function isState(text: string): text is Mail['state'] {
  return Object.hasOwn(STATES, text)
}

/**
 * Returns the time at which a mail was sent or is due, and the number of attempts. Omits the number before the first
 * attempt, and if the first attempt succeeded.
 * @example timeWords(mail) // 'ab 21.11.2026, 17:05 · 2 Versuche'
 */
export function timeWords({ attempts, state, sent_at, next_attempt_at }: Mail): string {
  const when =
    state === 'waiting' ? [`ab ${moment(next_attempt_at)}`] : state === 'sent' && sent_at ? [moment(sent_at)] : []
  const isPlain = attempts === 0 || (attempts === 1 && state === 'sent')
  return [...when, ...(isPlain ? [] : [countOf(attempts, 'Versuch', 'Versuche')])].join(' · ')
}
