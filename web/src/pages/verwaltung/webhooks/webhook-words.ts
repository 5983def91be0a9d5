import { moment } from '../../../words/moments.js'
import type { Delivery, Sent, Webhook } from './webhook-queries.js'

type Tone = 'plain' | 'accent' | 'good' | 'bad' | 'warn'

/** Events in the order of the form */
export const EVENTS: Readonly<Record<Webhook['events'][number], string>> = {
  'assignment.assigned': 'Aufgabe zugeteilt',
  'assignment.completed': 'Aufgabe erledigt',
  'assignment.overdue': 'Aufgaben überfällig (einmal am Tag)',
  'proof.issued': 'Nachweis ausgestellt',
  'proof.revoked': 'Nachweis widerrufen',
  'account.disabled': 'Konto deaktiviert',
  'content.published': 'Inhalt veröffentlicht',
  'report.created': 'Karte gemeldet',
}

export function eventLabel(type: Delivery['type']): string {
  return type === 'webhook.test' ? /* text */ 'Test' : EVENTS[type]
}

export const KINDS: Readonly<Record<Webhook['kind'], string>> = {
  standard: 'JSON (Standard Webhooks)',
  teams: 'Microsoft Teams (Karte)',
}

export const DELIVERY_STATES: Readonly<Record<Delivery['state'], { label: string; tone: Tone }>> = {
  waiting: { label: 'Wartet', tone: 'accent' },
  delivered: { label: 'Zugestellt', tone: 'good' },
  failed: { label: 'Gescheitert', tone: 'bad' },
}

export function stateOf({ paused_at, failing_since }: Webhook): { label: string; tone: Tone } {
  if (paused_at !== null) return { label: 'Pausiert', tone: 'warn' }
  return failing_since === null ? { label: 'Aktiv', tone: 'good' } : { label: 'Stockt', tone: 'bad' }
}

/** Returns when the last event was delivered. */
export function lastDelivery({ last_delivered_at }: Webhook): string {
  return last_delivered_at === null ? 'Noch nichts zugestellt' : `Zuletzt zugestellt: ${moment(last_delivered_at)}`
}

const FAULTS: Readonly<Record<NonNullable<Sent['fault']>, string>> = {
  address: 'Dorthin darf der Dienst keine Verbindung aufbauen: WEBHOOK_ALLOW nennt das Netz nicht.',
  name: 'Den Namen des Empfängers gibt es nicht.',
  connection: 'Der Empfänger ist nicht zu erreichen.',
  encryption: 'Die verschlüsselte Verbindung kommt nicht zustande, etwa wegen des Zertifikats.',
  timeout: 'Der Empfänger hat nicht innerhalb von 10 Sekunden geantwortet.',
  restore: 'Nicht gesendet, weil eine Sicherung eingespielt wurde.',
}

/**
 * Describes the outcome of the last attempt; empty before the first one.
 * @example outcomeOf({ status: 404, fault: null }) // 'Der Empfänger lehnt ab (404).'
 */
export function outcomeOf({ status, fault }: Pick<Sent, 'status' | 'fault'>): string {
  if (fault !== null) return FAULTS[fault]
  if (status === null) return ''
  if (status < 300) return `Der Empfänger hat angenommen (${status}).`
  if (status < 400) return `Der Empfänger leitet weiter (${status}), das gilt als Ablehnung.`
  const isTemporary = status >= 500 || status === 408 || status === 425 || status === 429
  return isTemporary ? `Der Empfänger kann gerade nicht (${status}).` : `Der Empfänger lehnt ab (${status}).`
}
