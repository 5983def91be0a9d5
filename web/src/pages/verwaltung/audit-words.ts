import type { ResponseBody } from '../../api/types.js'
import { fieldsOf } from '../../platform/fields.js'
import { weekdayDate } from '../../words/dates.js'
import { isolate } from '../../words/isolate.js'
import { count, countOf, type Forms } from '../../words/numbers.js'

type AuditEntry = ResponseBody<'/api/accounts/audit'>['entries'][number]
/** An action in the audit log; the shape of `details` depends on the action. */
export type AuditedAction = Pick<AuditEntry, 'action' | 'target' | 'target_id' | 'details'>

interface Words {
  label: string
  sentence: (target: string) => string
}

/** Actions, in the order of the filter options */
export const ACTIONS: Readonly<Record<string, Words>> = {
  'user.create': { label: 'Benutzer angelegt', sentence: (who) => `Benutzer „${who}“ angelegt` },
  'user.update': { label: 'Benutzer geändert', sentence: (who) => `Benutzer „${who}“ geändert` },
  'user.password': { label: 'Passwort gesetzt', sentence: (who) => `Passwort von „${who}“ gesetzt` },
  'user.delete': { label: 'Benutzer gelöscht', sentence: (who) => `Benutzer „${who}“ gelöscht` },
  'user.sessions': { label: 'Geräte abgemeldet', sentence: (who) => `Geräte von „${who}“ abgemeldet` },
  'user.tokens': { label: 'Token eines Benutzers widerrufen', sentence: (who) => `Token von „${who}“ widerrufen` },
  'user.identities': {
    label: 'Verknüpfungen gelöst',
    sentence: (who) => `Verknüpfungen von „${who}“ mit dem Anbieter gelöst`,
  },
  'user.passkeys': { label: 'Passkeys eines Benutzers entfernt', sentence: (who) => `Passkeys von „${who}“ entfernt` },
  'login.emergency': { label: 'Notfallzugang benutzt', sentence: (who) => `Notfallzugang „${who}“ benutzt` },
  'token.create': { label: 'Eigenen Token angelegt', sentence: (name) => `Eigenen Token „${name}“ angelegt` },
  'token.delete': { label: 'Eigenen Token widerrufen', sentence: () => 'Eigenen Token widerrufen' },
  'token.service': {
    label: 'Dienst-Token bestimmt',
    sentence: (name) => `Token „${name}“ als Dienst-Token bestimmt oder nicht mehr`,
  },
  'passkey.create': { label: 'Eigenen Passkey angelegt', sentence: (name) => `Eigenen Passkey „${name}“ angelegt` },
  'passkey.delete': { label: 'Eigenen Passkey entfernt', sentence: () => 'Eigenen Passkey entfernt' },
  'identity.link': { label: 'Anmeldung verknüpft', sentence: (who) => `Anmeldung von „${who}“ verknüpft` },
  'identity.unlink': { label: 'Anmeldung getrennt', sentence: (who) => `Anmeldung von „${who}“ getrennt` },
  'content.import': { label: 'Inhalte eingelesen', sentence: () => 'Inhalte eingelesen' },
  'content.upload': { label: 'Datei importiert', sentence: (name) => `Datei in die Quelle „${name}“ importiert` },
  'source.create': { label: 'Quelle angelegt', sentence: (name) => `Quelle „${name}“ angelegt` },
  'source.rename': { label: 'Quelle umbenannt', sentence: (name) => `Quelle in „${name}“ umbenannt` },
  'source.adopt': {
    label: 'In eine Quelle übernommen',
    sentence: (name) => `Inhalt des Ordners in die Quelle „${name}“ übernommen`,
  },
  'source.archive': { label: 'Quelle archiviert', sentence: (name) => `Quelle „${name}“ archiviert` },
  'source.restore': {
    label: 'Quelle wiederhergestellt',
    sentence: (name) => `Quelle „${name}“ wiederhergestellt`,
  },
  'source.purge': { label: 'Quelle entfernt', sentence: (name) => `Quelle „${name}“ endgültig entfernt` },
  'source.release': { label: 'Quelle übergeben', sentence: (name) => `Quelle „${name}“ an den Ordner übergeben` },
  'card.reset': {
    label: 'Lernstand einer Karte zurückgesetzt',
    sentence: (deck) => `Lernstand einer Karte im Deck „${deck}“ zurückgesetzt`,
  },
  'card.purge': { label: 'Karte entfernt', sentence: (deck) => `Karte im Deck „${deck}“ endgültig entfernt` },
  'editor.add': { label: 'Redaktion erweitert', sentence: (name) => `Redaktion der Quelle „${name}“ erweitert` },
  'editor.remove': { label: 'Redaktion verkleinert', sentence: (name) => `Redaktion der Quelle „${name}“ verkleinert` },
  'mail.resend': { label: 'Mail noch einmal gesendet', sentence: (who) => `Mail an „${who}“ noch einmal gesendet` },
  'mail.test': { label: 'Testmail gesendet', sentence: (address) => `Testmail an „${address}“ gesendet` },
  'webhook.create': { label: 'Webhook angelegt', sentence: (name) => `Webhook „${name}“ angelegt` },
  'webhook.update': { label: 'Webhook geändert', sentence: (name) => `Webhook „${name}“ geändert` },
  'webhook.delete': { label: 'Webhook gelöscht', sentence: (name) => `Webhook „${name}“ gelöscht` },
  'webhook.test': { label: 'Webhook getestet', sentence: (name) => `Testereignis an „${name}“ gesendet` },
  'webhook.resend': {
    label: 'Ereignis noch einmal gesendet',
    sentence: (name) => `Ereignis noch einmal an „${name}“ gesendet`,
  },
  'team.create': { label: 'Team angelegt', sentence: (name) => `Team „${name}“ angelegt` },
  'team.update': { label: 'Team geändert', sentence: (name) => `Team „${name}“ geändert` },
  'team.delete': { label: 'Team gelöscht', sentence: (name) => `Team „${name}“ gelöscht` },
  'team.join': { label: 'In ein Team aufgenommen', sentence: (name) => `In das Team „${name}“ aufgenommen` },
  'team.leave': { label: 'Aus einem Team genommen', sentence: (name) => `Aus dem Team „${name}“ genommen` },
  'assignment.create': { label: 'Aufgabe angelegt', sentence: (name) => `Aufgabe „${name}“ angelegt` },
  'assignment.update': { label: 'Aufgabe geändert', sentence: (name) => `Aufgabe „${name}“ geändert` },
  'assignment.delete': { label: 'Aufgabe gelöscht', sentence: (name) => `Aufgabe „${name}“ gelöscht` },
  'assignment.correct': { label: 'Korrektur', sentence: (name) => `Inhalt von „${name}“ nur korrigiert` },
  'assignment.renew': { label: 'Neu unterwiesen', sentence: (name) => `Aufgabe „${name}“ neu fällig gestellt` },
  'assignment.view': { label: 'Stand angesehen', sentence: (name) => `Stand der Personen in „${name}“ angesehen` },
  'occurrence.confirm': {
    label: 'Persönlichen Teil bestätigt',
    sentence: (name) => `Persönlichen Teil von „${name}“ bestätigt`,
  },
  'occurrence.exempt': { label: 'Freigestellt', sentence: (name) => `Von „${name}“ freigestellt` },
  'occurrence.reopen': {
    label: 'Verpasste Frist geöffnet',
    sentence: (name) => `Verpasste Frist von „${name}“ wieder geöffnet`,
  },
  'occurrence.extend': { label: 'Frist verlängert', sentence: (name) => `Frist von „${name}“ verlängert` },
  'occurrence.recognise': { label: 'Nachweis anerkannt', sentence: (name) => `Nachweis für „${name}“ anerkannt` },
  'proof.revoke': { label: 'Nachweis widerrufen', sentence: (name) => `Einen Nachweis über „${name}“ widerrufen` },
  'proof.replace': { label: 'Nachweis ersetzt', sentence: (name) => `Einen Nachweis über „${name}“ ersetzt` },
  'proof.view': { label: 'Nachweise angesehen', sentence: () => 'Nachweise angesehen' },
  'proof.export': {
    label: 'Nachweise ausgegeben',
    sentence: (name) => (name === '' ? 'Alle Nachweise ausgegeben' : `Nachweise über „${name}“ ausgegeben`),
  },
  'occurrence.attempt': { label: 'Versuch gewährt', sentence: (name) => `Einen Versuch für „${name}“ gewährt` },
  'report.settle': { label: 'Meldung erledigt', sentence: (deck) => `Meldung im Deck „${deck}“ erledigt` },
  'report.reopen': {
    label: 'Meldung wieder geöffnet',
    sentence: (deck) => `Meldung im Deck „${deck}“ wieder geöffnet`,
  },
}

const FIELDS: Readonly<Record<string, string>> = {
  username: 'Benutzername',
  display_name: 'Anzeigename',
  is_admin: 'Rechte',
  is_author: 'Autorenrecht',
  is_auditor: 'Prüfrecht',
  auditor_until: 'Prüfer bis',
  password: 'Passwort',
  must_change_password: 'Passwortwechsel',
  passkey_only: 'Anmeldung',
  link_next_login: 'Verknüpfung',
  emergency: 'Notfallzugang',
  extra_time_percent: 'Zeitzuschlag',
  disabled_on: 'Deaktivierung',
  email: 'E-Mail-Adresse',
  personnel_number: 'Personalnummer',
  external_id: 'Externe Kennung',
  scim_deleted: 'beim Anbieter gelöscht oder nicht mehr',
  scim_state: 'Verwaltung durch den Anbieter',
  name: 'Name',
  url: 'Adresse',
  kind: 'Art',
  events: 'Ereignisse',
  include_names: 'Namen',
  secret: 'Geheimnis',
  paused: 'Pause',
}

/**
 * Describes an entry. For an unknown action, the text contains its code.
 * @example sentenceOf(entry) // 'Benutzer „erika“ angelegt'
 */
export function sentenceOf({ action, target, target_id }: AuditedAction): string {
  const object = target ?? (target_id === null ? '' : String(target_id))
  const words = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  return words === undefined ? `${action} ${object}`.trim() : words.sentence(isolate(object))
}

export function detailsOf({ action, details }: AuditedAction): string {
  const known = fieldsOf(details)
  if (action === 'content.import' || action === 'content.upload') return importWords(known)
  const words = [
    ...(Array.isArray(known.fields) ? [known.fields.map((field) => FIELDS[field] ?? String(field)).join(', ')] : []),
    ...(known.is_admin === true ? ['ist jetzt Administrator'] : []),
    // A new account was never an administrator, so it cannot have lost the right.
    ...(known.is_admin === false && action !== 'user.create' ? ['ist kein Administrator mehr'] : []),
    ...(known.is_author === true ? ['darf Inhalte schreiben'] : []),
    ...(known.is_author === false ? ['darf keine Inhalte mehr schreiben'] : []),
    ...(known.is_auditor === true ? ['ist jetzt Prüfer'] : []),
    ...(known.is_auditor === false ? ['ist kein Prüfer mehr'] : []),
    ...(typeof known.auditor_until === 'string' ? [`Prüfer bis ${dayOf(known.auditor_until)}`] : []),
    ...(typeof known.disabled_on === 'string' ? [`deaktiviert ab ${dayOf(known.disabled_on)}`] : []),
    ...(known.disabled_on === null ? ['nicht mehr deaktiviert'] : []),
    ...(typeof known.username === 'string' ? [isolate(known.username)] : []),
    ...(typeof known.from === 'string' ? [`bisher „${isolate(known.from)}“`] : []),
    ...(typeof known.deck === 'string' ? [`Deck ${isolate(known.deck)}`] : []),
    ...(typeof known.sheet === 'string' ? [`Spickzettel ${isolate(known.sheet)}`] : []),
    ...(known.passkey_only === true ? ['nur mit Passkey'] : []),
    ...(known.passkey_only === false ? ['wieder mit Passwort'] : []),
    ...(known.must_change_password === true ? ['muss das Passwort ändern'] : []),
    ...(typeof known.ended === 'number' && known.ended > 1 ? [`${count(known.ended)} auf einmal`] : []),
    ...(typeof known.card_id === 'number' ? [`Karte ${known.card_id}`] : []),
    ...(typeof known.purpose === 'string' ? [`Zweck: ${isolate(known.purpose)}`] : []),
    ...(action.startsWith('proof.') ? certificateWords(known) : []),
    ...(action.startsWith('occurrence.') && typeof known.until === 'string' ? [`bis ${dayOf(known.until)}`] : []),
    ...(typeof known.host === 'string' ? [isolate(known.host)] : []),
    ...(action.startsWith('webhook.') && known.include_names === true ? ['mit Namen'] : []),
    ...(known.paused === true ? ['pausiert'] : []),
    ...(known.paused === false ? ['läuft wieder'] : []),
    ...(typeof known.reason === 'string' ? [`Grund: ${isolate(known.reason)}`] : []),
  ]
  return words.join(' · ')
}

/** Formats a day. Returns other text unformatted, because a later version of the service may write another format. */
function dayOf(text: string): string {
  return Number.isNaN(Date.parse(`${text}T12:00:00Z`)) ? isolate(text) : weekdayDate(text)
}

function certificateWords({ name, before, after }: Record<string, unknown>): string[] {
  return [
    ...(typeof name === 'string' ? [isolate(name)] : []),
    ...(typeof before === 'string' && typeof after === 'string'
      ? [`bisher ${isolate(before)}, jetzt ${isolate(after)}`]
      : []),
  ]
}

function importWords(stats: Record<string, unknown>): string {
  const words = [
    changes(stats.decks, 'Deck', 'Decks'),
    changes(stats.cards, 'Karte', 'Karten'),
    changes(stats.cheatsheets, 'Spickzettel', 'Spickzettel'),
    ...(typeof stats.warnings === 'number' && stats.warnings > 0
      ? [countOf(stats.warnings, 'Hinweis', 'Hinweise')]
      : []),
  ].filter((part) => part !== '')
  return words.join(' · ') || 'nichts geändert'
}

const CHANGES = [
  ['created', /* text */ 'neu'],
  ['updated', 'geändert'],
  ['archived', /* text */ 'archiviert'],
] as const

function changes(numbers: unknown, ...forms: Forms): string {
  const values = fieldsOf(numbers)
  const parts = CHANGES.flatMap(([key, word]) => {
    const value = values[key]
    return typeof value === 'number' && value > 0 ? [{ value, word }] : []
  })
  const [first] = parts
  if (first === undefined) return ''
  const words = parts.map(({ value, word }, at) =>
    at === 0 ? `${countOf(value, ...forms)} ${word}` : `${count(value)} ${word}`,
  )
  return words.join(', ')
}
