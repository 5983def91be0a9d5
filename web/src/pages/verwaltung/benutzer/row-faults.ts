import { findingSentence } from '../../../api/finding-sentence.js'
import type { ResponseBody } from '../../../api/types.js'

/** A fault or hint that concerns a line of a list */
export type RowFault = ResponseBody<'/api/accounts/bulk', 'post'>['hints'][number]

const FIELDS: Readonly<Record<string, string>> = {
  username: 'Benutzername',
  display_name: 'Anzeigename',
  is_admin: 'Administrator',
  is_author: 'Autor',
  is_auditor: 'Prüfer',
  auditor_until: 'Prüfer bis',
  must_change_password: 'muss Passwort ändern',
  disabled_on: 'deaktiviert ab',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  personnel_number: 'Personalnummer',
  external_id: 'Externe Kennung',
  team: 'Team',
  teams: 'Teams',
}

export function labelOfField(field: string): string {
  return FIELDS[field] ?? field
}

/**
 * Returns the sentence of a fault with the name that its column has in the app. A column that the service does not know
 * precedes the sentence, which does not name it.
 * @example sentenceOfRow({ field: 'mail', message: 'Diese Spalte ist unbekannt', … }) // 'mail: Diese Spalte …'
 */
export function sentenceOfRow({ field, ...fault }: Omit<RowFault, 'line'>): string {
  const message = findingSentence(fault, field === null ? undefined : FIELDS[field])
  if (field === null) return message
  const column = FIELDS[field]
  return column === undefined ? `${field}: ${message}` : message.replace(`„${field}“`, `„${column}“`)
}

export function groupByLine(faults: readonly RowFault[]): Map<number, string[]> {
  const lines = new Map<number, string[]>()
  for (const fault of faults) lines.set(fault.line, [...(lines.get(fault.line) ?? []), sentenceOfRow(fault)])
  return lines
}
