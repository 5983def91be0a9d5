import type { Language } from '../text/language.js'
import type { EventType } from './events.js'

type CardWords = {
  titles: Readonly<Record<EventType, string>>
  kinds: Readonly<Record<'deck' | 'sheet' | 'test', string>>
  person: string
  assignment: string
  due: string
  completed: string
  validUntil: string
  disabled: string
  deck: string
  day: string
  persons: string
  names: string
  more: (count: number) => string
  open: string
  test: string
  id: (id: number) => string
  /** @param day `YYYY-MM-DD` */
  date: (day: string) => string
}

/** The day at noon, so that no time zone changes it */
const noon = (day: string) => new Date(`${day}T12:00:00Z`)
const DE_DAY = new Intl.DateTimeFormat('de', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' })
const EN_DAY = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' })

/** Words of the cards for Microsoft Teams */
export const CARD_WORDS: Readonly<Record<Language, CardWords>> = {
  de: {
    titles: {
      'assignment.assigned': 'Neue Aufgabe zugeteilt',
      'assignment.completed': 'Aufgabe erledigt',
      'assignment.overdue': 'Überfällige Aufgabe',
      'proof.issued': 'Nachweis ausgestellt',
      'proof.revoked': 'Nachweis widerrufen',
      'account.disabled': 'Konto deaktiviert',
      'content.published': 'Neu im Training',
      'report.created': 'Neue Meldung zu einer Karte',
      'webhook.test': 'Test vom Training',
    },
    kinds: { deck: 'Deck', sheet: 'Spickzettel', test: 'Test' },
    person: 'Person',
    assignment: 'Aufgabe',
    due: 'Fällig',
    completed: 'Erledigt',
    validUntil: 'Gültig bis',
    disabled: 'Deaktiviert ab',
    deck: 'Deck',
    day: 'Stand',
    persons: 'Personen',
    names: 'Namen',
    more: (count) => `und ${count} weitere`,
    open: 'Training öffnen',
    test: 'Diese Nachricht wurde verschickt, um den Webhook zu prüfen. Er funktioniert.',
    id: (id) => `Nr. ${id}`,
    date: (day) => DE_DAY.format(noon(day)),
  },
  en: {
    titles: {
      'assignment.assigned': 'New task assigned',
      'assignment.completed': 'Task completed',
      'assignment.overdue': 'Overdue task',
      'proof.issued': 'Certificate issued',
      'proof.revoked': 'Certificate revoked',
      'account.disabled': 'Account disabled',
      'content.published': 'New in Training',
      'report.created': 'New report about a card',
      'webhook.test': 'Test from Training',
    },
    kinds: { deck: 'Deck', sheet: 'Cheat sheet', test: 'Test' },
    person: 'Person',
    assignment: 'Task',
    due: 'Due',
    completed: 'Completed',
    validUntil: 'Valid until',
    disabled: 'Disabled from',
    deck: 'Deck',
    day: 'As of',
    persons: 'Persons',
    names: 'Names',
    more: (count) => `and ${count} more`,
    open: 'Open Training',
    test: 'This message was sent to check the webhook. It works.',
    id: (id) => `no. ${id}`,
    date: (day) => EN_DAY.format(noon(day)),
  },
}
