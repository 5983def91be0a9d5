import { Refused } from '../../../api/faults.js'

export interface RowFault {
  line: number
  field: string | null
  message: string
}

/** Returns the faults that the service has reported for lines of a list; empty for other errors. */
export function rowFaultsOf(error: unknown): RowFault[] {
  return error instanceof Refused ? ((error.content as { errors?: RowFault[] } | null)?.errors ?? []) : []
}

const FIELDS: Readonly<Record<string, string>> = {
  username: 'Benutzername',
  display_name: 'Anzeigename',
  is_admin: 'Administrator',
  is_author: 'Autor',
  disabled_on: 'deaktiviert ab',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
}

/**
 * Returns the sentence of a fault with the German name of its column; an unknown name is unchanged.
 * @example sentenceOfRow({ line: 2, field: 'mail', message: 'Diese Spalte ist unbekannt' }) // 'mail: Diese Spalte …'
 */
export function sentenceOfRow({ field, message }: RowFault): string {
  const sentence = message.replace(/„(\w+)“/, (quoted, name: string) => (FIELDS[name] ? `„${FIELDS[name]}“` : quoted))
  const column = field === null ? undefined : (FIELDS[field] ?? field)
  return column === undefined || sentence.includes(column) ? sentence : `${column}: ${sentence}`
}

export function groupByLine(faults: readonly RowFault[]): Map<number, string[]> {
  const lines = new Map<number, string[]>()
  for (const fault of faults) lines.set(fault.line, [...(lines.get(fault.line) ?? []), sentenceOfRow(fault)])
  return lines
}
