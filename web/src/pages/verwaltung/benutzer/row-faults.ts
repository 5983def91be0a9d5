import { Refused } from '../../../api/faults.js'

/** What is wrong in a list of users. */
export interface RowFault {
  line: number
  field: string | null
  message: string
}

/** What the service says of each line; empty when the fault is another one. */
export function rowFaultsOf(error: unknown): RowFault[] {
  return error instanceof Refused ? ((error.content as { errors?: RowFault[] } | null)?.errors ?? []) : []
}

const FIELDS: Readonly<Record<string, string>> = {
  username: 'Benutzername',
  display_name: 'Anzeigename',
  is_admin: 'Administrator',
  password: 'Passwort',
}

/** What people call the column; an unknown one keeps its heading. */
export function fieldName(field: string | null): string {
  return field === null ? '' : (FIELDS[field] ?? field)
}
