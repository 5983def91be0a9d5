import { EXTERNAL_ID_TAKEN, parseExternalId } from '../external-id.js'
import { parseMailAddress } from '../mail/address.js'
import { type Details, InvalidField, InvalidInput } from '../refusal.js'
import { toNfc } from '../text/nfc.js'
import { checkName, parsePersonnelNumber } from './accounts.js'
import { parseAuditorUntil } from './auditor.js'
import { parseDisabledOn } from './deactivation.js'
import { checkPasswordLength } from './passwords.js'
import { PERSONNEL_NUMBER_TAKEN } from './refusals.js'
import type { RowFault, RowHint } from './types.js'

export const MAX_USERS = 1_000
/** Higher than `MAX_USERS`: a change hashes no passwords, and a list of all people finds who is missing */
export const MAX_CHANGED_USERS = 10_000

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
  external_id?: unknown
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
  external_id: string | null
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
    else faults.push(faultAt(line, null, 'not_an_object', 'Erwartet wird ein JSON-Objekt'))
  }
  if (users.length === 0) faults.push(faultAt(1, null, 'no_users', 'Die Liste enthält keine Benutzer'))
  return { rows, faults }
}

/**
 * Validates each row, and reports user names, personnel numbers and external ids that occur twice. Only the user name is
 * required. If there are more than 1,000 rows, reports only this fault.
 */
export function validateRows(rows: UserRow[]): UserList {
  const users: ListedUser[] = []
  const faults = tooManyRows(rows, MAX_USERS)
  if (faults.length > 0) return { users, faults }
  const isRepeated = repetitionsIn(faults)
  for (const row of rows) {
    const { user, faults: own } = validateRow(row)
    const isNameFaulty = own.some(({ field }) => field === 'username')
    faults.push(...own)
    if (user.username === '' && !isNameFaulty)
      faults.push(faultAt(row.line, 'username', 'username_missing', 'Der Benutzername fehlt'))
    if (user.username === '' || isNameFaulty || isRepeated(user)) continue
    const auditor_until = user.is_auditor ? user.auditor_until : null
    users.push({ ...user, display_name: user.display_name || user.username, auditor_until })
  }
  return { users, faults }
}

/** A person of a list that changes accounts. The account has the user name or, without one, the personnel number. */
export interface ListedChange {
  line: number
  username: string | undefined
  personnel_number: string | null
  /** Values to set; absent fields stay unchanged */
  values: Partial<Pick<ListedUser, ChangedField>>
  /** Names of the teams that the person has afterwards; undefined leaves them unchanged */
  teams: string[] | undefined
}

export interface ChangeList {
  users: ListedChange[]
  faults: RowFault[]
}

export const CHANGED_FIELDS = [
  'display_name',
  'is_admin',
  'is_author',
  'is_auditor',
  'auditor_until',
  'must_change_password',
  'disabled_on',
  'email',
  'personnel_number',
  'external_id',
] as const

export type ChangedField = (typeof CHANGED_FIELDS)[number]

const REMOVABLE: readonly string[] = ['auditor_until', 'disabled_on', 'email', 'personnel_number', 'external_id']

/**
 * Validates the rows of a list that changes accounts. An absent or empty field leaves the value unchanged; null removes
 * it. Reports the same faults as `validateRows`, rows without a user name and personnel number, and passwords. Yields
 * after each row, so that other work can run in between.
 */
export function* validateChangesInSteps(rows: readonly UserRow[]): Generator<void, ChangeList> {
  const users: ListedChange[] = []
  const faults = tooManyRows(rows, MAX_CHANGED_USERS)
  if (faults.length > 0) return { users, faults }
  const isRepeated = repetitionsIn(faults)
  for (const row of rows) {
    yield
    const { line } = row
    const { user, faults: own } = validateRow(row)
    if (user.username === '' && user.personnel_number === null && own.length === 0)
      own.push(faultAt(line, 'username', 'person_missing', 'Der Benutzername oder die Personalnummer fehlt'))
    if (user.password !== undefined)
      own.push(faultAt(line, 'password', 'password_in_list', 'Ein Passwort lässt sich mit einer Liste nicht ändern'))
    faults.push(...own)
    if (own.length > 0 || isRepeated(user)) continue
    const isGiven = (field: ChangedField | 'team' | 'teams') => {
      const value = row[field]
      if (value === null) return REMOVABLE.includes(field)
      return typeof value === 'string' ? value.trim() !== '' : value !== undefined
    }
    const username = user.username || undefined
    const values = Object.fromEntries(CHANGED_FIELDS.filter(isGiven).map((field) => [field, user[field]]))
    users.push({
      line,
      username,
      personnel_number: user.personnel_number,
      values: { ...values, ...(values.is_auditor === false && { auditor_until: null }) },
      teams: isGiven('teams') || isGiven('team') ? user.teams : undefined,
    })
  }
  return { users, faults }
}

function tooManyRows(rows: readonly UserRow[], maximum: number): RowFault[] {
  const first = rows[maximum]
  if (first === undefined) return []
  const message = `Höchstens ${maximum.toLocaleString('de')} Benutzer auf einmal, bitte die Liste teilen`
  return [faultAt(first.line, null, 'too_many_users', message, { maximum })]
}

/**
 * Returns a function that reports a user name, personnel number or external id of an earlier row as a fault. It returns
 * whether the user name is one.
 */
function repetitionsIn(faults: RowFault[]): (user: ListedUser) => boolean {
  const lines = new Map<string, number>()
  const keys = { personnel_number: new Map<string, number>(), external_id: new Map<string, number>() }
  return ({ line, username, ...user }) => {
    for (const [field, label] of KEY_LABELS) {
      const key = user[field]
      if (key === null) continue
      const earlier = keys[field].get(key)
      if (earlier === undefined) keys[field].set(key, line)
      else {
        const message = `Die ${label} steht schon in Zeile ${earlier}`
        faults.push(
          faultAt(line, field, field === 'external_id' ? 'external_id_twice' : 'personnel_number_twice', message, {
            earlier,
          }),
        )
      }
    }
    if (username === '') return false
    const name = nameKey(username)
    const earlier = lines.get(name)
    if (earlier === undefined) lines.set(name, line)
    else {
      const message = `Der Benutzername steht schon in Zeile ${earlier}`
      faults.push(faultAt(line, 'username', 'username_twice', message, { earlier }))
    }
    return earlier !== undefined
  }
}

const KEY_LABELS = [
  ['personnel_number', 'Personalnummer'],
  ['external_id', 'externe Kennung'],
] as const

/** Returns a user name in NFC. User names are unique in this form. */
export function nameKey(username: string): string {
  return toNfc(username)
}

/** Returns a fault of a list. */
export function faultAt(
  line: number,
  field: string | null,
  code: string,
  message: string,
  details: Details | null = null,
): RowFault {
  return { line, field, code, details, message }
}

/** Returns the fault of a value that a rule refuses. */
function faultOf(line: number, field: string, { code, message, details }: InvalidInput): RowFault {
  return faultAt(line, field, code, message, details)
}

export function unknownTeamFault(line: number, team: string): RowFault {
  return faultAt(line, 'team', 'no_such_team', `Das Team „${team}“ gibt es nicht`, { team })
}

export function takenNameFault(line: number): RowFault {
  return faultAt(line, 'username', 'username_taken', 'Benutzername existiert bereits')
}

export function takenNumberFault(line: number): RowFault {
  return faultOf(line, 'personnel_number', PERSONNEL_NUMBER_TAKEN)
}

export function takenIdFault(line: number): RowFault {
  return faultOf(line, 'external_id', EXTERNAL_ID_TAKEN)
}

const BLANK_IN_NAME =
  'Der Benutzername enthält ein Leerzeichen. Das ist erlaubt, muss beim Anmelden aber mitgetippt werden'

export function hintsOf(users: ListedUser[]): RowHint[] {
  return users
    .filter(({ username }) => /\s/.test(username))
    .map(({ line }) => faultAt(line, 'username', 'blank_in_username', BLANK_IN_NAME))
}

export function sortFaults(faults: RowFault[]): RowFault[] {
  return faults.toSorted((a, b) => a.line - b.line)
}

/**
 * Returns the user with empty texts for absent names, and a last day even without the role of an auditor. Values with
 * faults are for further checks only; the keys that are looked up in the database and have faults are left out.
 */
function validateRow(row: UserRow): { user: ListedUser; faults: RowFault[] } {
  const { line } = row
  const faults: RowFault[] = []
  const addFault = (field: string, code: string, message: string) => {
    faults.push(faultAt(line, field, code, message))
  }
  const judge = (field: string, check: () => void): boolean => {
    try {
      check()
      return true
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      faults.push(faultOf(line, field, error))
      return false
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
      | 'external_id'
      | 'team',
  ) => {
    const value = row[field] ?? ''
    if (typeof value === 'string') return value
    addFault(field, 'not_a_text', `Das Feld „${field}“ muss ein Text sein`)
    return undefined
  }
  const readFlag = (field: 'is_admin' | 'is_author' | 'is_auditor' | 'must_change_password', absent: boolean) => {
    const value = row[field] ?? absent
    if (typeof value === 'boolean') return value
    addFault(field, 'not_a_flag', `Das Feld „${field}“ muss true oder false (ja oder nein) sein`)
    return absent
  }
  const readTeams = () => {
    const { teams } = row
    const isList = Array.isArray(teams) && teams.every((team) => typeof team === 'string')
    if (teams !== undefined && teams !== null && !isList)
      addFault('teams', 'not_a_list', 'Das Feld „teams“ muss eine Liste von Texten sein')
    const names = isList ? teams : [readText('team') ?? '']
    return [...new Set(names.map((name) => toNfc(name).trim()))].filter((name) => name !== '')
  }

  const username = readText('username')?.trim() ?? ''
  judge('username', () => checkName('username', username))
  const display_name = readText('display_name')?.trim() ?? ''
  if (display_name) judge('display_name', () => checkName('display_name', display_name))
  const is_admin = readFlag('is_admin', false)
  const is_author = readFlag('is_author', false)
  const is_auditor = readFlag('is_auditor', false)
  const lastDay = readText('auditor_until')?.trim() || null
  if (lastDay !== null) judge('auditor_until', () => parseAuditorUntil(lastDay))
  const password = readText('password') || undefined
  if (password !== undefined) judge('password', () => checkPasswordLength(password, 'password'))
  const must_change_password = readFlag('must_change_password', true)
  const disabled_on = readText('disabled_on')?.trim() || null
  if (disabled_on !== null) judge('disabled_on', () => parseDisabledOn(disabled_on))
  const email = readText('email')?.trim() || null
  if (email !== null) judge('email', () => parseMailAddress(email))
  const number = readText('personnel_number')?.trim() || null
  const isNumber = number !== null && judge('personnel_number', () => parsePersonnelNumber(number))
  const personnel_number = isNumber ? toNfc(number) : null
  const externalId = readText('external_id')?.trim() || null
  const isExternalId = externalId !== null && judge('external_id', () => parseExternalId(externalId))
  const external_id = isExternalId ? toNfc(externalId) : null
  const teams = readTeams().filter((team) => judge('team', () => checkName('team', team)))

  const state = {
    is_admin,
    is_author,
    is_auditor,
    auditor_until: lastDay,
    must_change_password,
    disabled_on,
    email,
    personnel_number,
    external_id,
    teams,
  }
  return { user: { line, username, display_name, ...state, password }, faults }
}
