import { parseMailAddress } from '../mail/address.js'
import { InvalidField, InvalidInput } from '../refusal.js'
import { toNfc } from '../text/nfc.js'
import { checkName, parsePersonnelNumber } from './accounts.js'
import { parseAuditorUntil } from './auditor.js'
import { parseDisabledOn } from './deactivation.js'
import { checkPasswordLength } from './passwords.js'
import { PERSONNEL_NUMBER_TAKEN } from './refusals.js'
import type { RowFault, RowHint } from './types.js'

export const MAX_USERS = 1_000

export interface UserRow {
  line: number
  username?: unknown
  display_name?: unknown
  is_admin?: unknown
  is_author?: unknown
  is_auditor?: unknown
  auditor_until?: unknown
  password?: unknown
  must_change_password?: unknown
  disabled_on?: unknown
  email?: unknown
  personnel_number?: unknown
  team?: unknown
  teams?: unknown
}

export interface ListedUser {
  line: number
  username: string
  display_name: string
  is_admin: boolean
  is_author: boolean
  is_auditor: boolean
  /** Null unless the user is an auditor whose role has an end */
  auditor_until: string | null
  must_change_password: boolean
  disabled_on: string | null
  email: string | null
  personnel_number: string | null
  /** Names of the teams that the user joins, each once */
  teams: string[]
  /** Undefined if the service generates the password */
  password: string | undefined
}

export interface UserList {
  /** Users with a valid, unique name. If there are faults, use the list for further checks only. */
  users: ListedUser[]
  faults: RowFault[]
}

/**
 * Reads the rows of a body `{ users: […] }`. Reports entries that are not objects, and an empty list, as faults.
 * @throws InvalidInput if `users` is missing or not a list
 * @example readJsonRows({ users: [{ username: 'erika' }] }).rows // [{ username: 'erika', line: 1 }]
 */
export function readJsonRows(body: unknown): { rows: UserRow[]; faults: RowFault[] } {
  const { users } = body as { users?: unknown }
  if (users === undefined) throw new InvalidField('users', 'fehlt')
  if (!Array.isArray(users)) throw new InvalidField('users', 'muss eine Liste sein')
  const rows: UserRow[] = []
  const faults: RowFault[] = []
  for (const [index, user] of users.entries()) {
    const line = index + 1
    const isObject = typeof user === 'object' && user !== null && !Array.isArray(user)
    if (isObject) rows.push({ ...user, line })
    else faults.push({ line, field: null, message: 'Erwartet wird ein JSON-Objekt' })
  }
  if (users.length === 0) faults.push({ line: 1, field: null, message: 'Die Liste enthält keine Benutzer' })
  return { rows, faults }
}

/**
 * Validates each row, and reports user names and personnel numbers that occur twice. Only the user name is required. If
 * there are more than 1,000 rows, reports only this fault.
 */
export function validateRows(rows: UserRow[]): UserList {
  const first = rows[MAX_USERS]
  if (first !== undefined) {
    const message = `Höchstens ${MAX_USERS.toLocaleString('de')} Benutzer auf einmal, bitte die Liste teilen`
    return { users: [], faults: [{ line: first.line, field: null, message }] }
  }
  const users: ListedUser[] = []
  const faults: RowFault[] = []
  const lines = new Map<string, number>()
  const numbers = new Map<string, number>()
  for (const row of rows) {
    const { user, faults: own } = validateRow(row)
    faults.push(...own)
    if (user === undefined) continue
    const { personnel_number: number } = user
    const earlierNumber = number === null ? undefined : numbers.get(number)
    if (earlierNumber !== undefined) {
      const message = `Die Personalnummer steht schon in Zeile ${earlierNumber}`
      faults.push({ line: row.line, field: 'personnel_number', message })
    } else if (number !== null) {
      numbers.set(number, row.line)
    }
    const name = nameKey(user.username)
    const earlier = lines.get(name)
    if (earlier === undefined) {
      lines.set(name, row.line)
      users.push(user)
    } else {
      faults.push({ line: row.line, field: 'username', message: `Der Benutzername steht schon in Zeile ${earlier}` })
    }
  }
  return { users, faults }
}

/** Returns a user name in NFC. User names are unique in this form. */
export function nameKey(username: string): string {
  return toNfc(username)
}

export function unknownTeamFault(line: number, team: string): RowFault {
  return { line, field: 'team', message: `Das Team „${team}“ gibt es nicht` }
}

export function takenNameFault(line: number): RowFault {
  return { line, field: 'username', message: 'Benutzername existiert bereits' }
}

export function takenNumberFault(line: number): RowFault {
  return { line, field: 'personnel_number', message: PERSONNEL_NUMBER_TAKEN.message }
}

const BLANK_IN_NAME =
  'Der Benutzername enthält ein Leerzeichen. Das ist erlaubt, muss beim Anmelden aber mitgetippt werden'

export function hintsOf(users: ListedUser[]): RowHint[] {
  return users
    .filter(({ username }) => /\s/.test(username))
    .map(({ line }) => ({ line, field: 'username', message: BLANK_IN_NAME }))
}

export function sortFaults(faults: RowFault[]): RowFault[] {
  return faults.toSorted((a, b) => a.line - b.line)
}

/** Returns the user if the user name is valid, even if other fields have faults. */
function validateRow(row: UserRow): { user: ListedUser | undefined; faults: RowFault[] } {
  const { line } = row
  const faults: RowFault[] = []
  const addFault = (field: string, message: string) => {
    faults.push({ line, field, message })
  }
  const judge = (field: string, check: () => void) => {
    try {
      check()
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      addFault(field, error.message)
    }
  }
  const readText = (
    field:
      | 'username'
      | 'display_name'
      | 'auditor_until'
      | 'password'
      | 'disabled_on'
      | 'email'
      | 'personnel_number'
      | 'team',
  ) => {
    const value = row[field] ?? ''
    if (typeof value === 'string') return value
    addFault(field, `Das Feld „${field}“ muss ein Text sein`)
    return undefined
  }
  const readFlag = (field: 'is_admin' | 'is_author' | 'is_auditor' | 'must_change_password', absent: boolean) => {
    const value = row[field] ?? absent
    if (typeof value === 'boolean') return value
    addFault(field, `Das Feld „${field}“ muss true oder false (ja oder nein) sein`)
    return absent
  }
  const readTeams = () => {
    const { teams } = row
    const isList = Array.isArray(teams) && teams.every((team) => typeof team === 'string')
    if (teams !== undefined && teams !== null && !isList)
      addFault('teams', 'Das Feld „teams“ muss eine Liste von Texten sein')
    const names = isList ? teams : [readText('team') ?? '']
    return [...new Set(names.map((name) => toNfc(name).trim()))].filter((name) => name !== '')
  }

  const username = readText('username')?.trim()
  if (username === '') addFault('username', 'Der Benutzername fehlt')
  else if (username !== undefined) judge('username', () => checkName('username', username))
  const display_name = readText('display_name')?.trim()
  if (display_name) judge('display_name', () => checkName('display_name', display_name))
  const is_admin = readFlag('is_admin', false)
  const is_author = readFlag('is_author', false)
  const is_auditor = readFlag('is_auditor', false)
  const lastDay = readText('auditor_until')?.trim() || null
  if (lastDay !== null) judge('auditor_until', () => parseAuditorUntil(lastDay))
  const auditor_until = is_auditor ? lastDay : null
  const password = readText('password') || undefined
  if (password !== undefined) judge('password', () => checkPasswordLength(password, 'password'))
  const must_change_password = readFlag('must_change_password', true)
  const disabled_on = readText('disabled_on')?.trim() || null
  if (disabled_on !== null) judge('disabled_on', () => parseDisabledOn(disabled_on))
  const email = readText('email')?.trim() || null
  if (email !== null) judge('email', () => parseMailAddress(email))
  const number = readText('personnel_number')?.trim() || null
  if (number !== null) judge('personnel_number', () => parsePersonnelNumber(number))
  const personnel_number = number && toNfc(number)
  const teams = readTeams()
  for (const team of teams) judge('team', () => checkName('team', team))

  const hasName = username !== undefined && username !== '' && faults.every(({ field }) => field !== 'username')
  if (!hasName) return { user: undefined, faults }
  const state = {
    is_admin,
    is_author,
    is_auditor,
    auditor_until,
    must_change_password,
    disabled_on,
    email,
    personnel_number,
    teams,
  }
  return { user: { line, username, display_name: display_name || username, ...state, password }, faults }
}
