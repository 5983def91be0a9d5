import { parseExternalId } from '../external-id.js'
import { parseMailAddress } from '../mail/address.js'
import { InvalidField } from '../refusal.js'
import { toNfc } from '../text/nfc.js'
import { checkLine, checkStorable, parseRowId, requireFields } from '../text/parameters.js'
import { countCharacters } from '../text/text.js'
import { parseAuditorUntil } from './auditor.js'
import { parseDisabledOn } from './deactivation.js'
import { checkPasswordLength } from './passwords.js'

export const MAX_NAME_LENGTH = 200
export const MAX_PERSONNEL_NUMBER_LENGTH = 40

export const MISSING_FIELDS = 'Benutzername, Anzeigename und Passwort erforderlich'

export interface NewUserInput {
  username: string
  display_name: string
  password: string
  is_admin?: unknown
}

export interface NewUser {
  username: string
  display_name: string
  password: string
  is_admin: boolean
}

/**
 * Parses the body of user creation and trims the names. `createAccount` checks the names for control characters,
 * because the rules of the specification come first, and the last of them needs the database.
 * @throws InvalidInput if a field is empty or too long, a name is not storable, or the password is too short
 * @example parseNewUser({ username: ' erika ', display_name: 'Erika', password: 'geheim' }).username // 'erika'
 */
export function parseNewUser(input: NewUserInput): NewUser {
  const username = input.username.trim()
  const display_name = input.display_name.trim()
  const { password } = input
  requireFields({ username, display_name, password }, MISSING_FIELDS)
  for (const [field, name] of Object.entries({ username, display_name })) {
    checkLength(field, name, MAX_NAME_LENGTH)
    checkStorable(field, name)
  }
  checkPasswordLength(password, 'password')
  return { username, display_name, password, is_admin: Boolean(input.is_admin) }
}

export interface AccountChange {
  display_name?: string | undefined
  is_admin?: boolean | undefined
  is_author?: boolean | undefined
  is_auditor?: boolean | undefined
  /** Last day of the role of an auditor, as `YYYY-MM-DD`; null if it has no end */
  auditor_until?: string | null | undefined
  password?: string | undefined
  must_change_password?: boolean | undefined
  link_next_login?: boolean | undefined
  /** Additional time in tests, 0 to 300 percent */
  extra_time_percent?: number | undefined
  /** First day on which the account is disabled, as `YYYY-MM-DD`; null cancels the deactivation */
  disabled_on?: string | null | undefined
  email?: string | null | undefined
  personnel_number?: string | null | undefined
  external_id?: string | null | undefined
}

/**
 * Parses a change of an account; absent fields stay absent.
 * @throws InvalidInput if the name or the password breaks a rule of user creation, `disabled_on` or
 *   `auditor_until` is not a day, `email` is not a mail address, or `personnel_number` or `external_id` is invalid
 * @example parseAccountChange({ display_name: ' Erika ' }) // { display_name: 'Erika' }
 */
export function parseAccountChange(input: AccountChange): AccountChange {
  const { display_name: name, is_admin, is_author, password, must_change_password, link_next_login } = input
  const { is_auditor, extra_time_percent, disabled_on, email, personnel_number, external_id } = input
  const display_name = name?.trim()
  // A later grant must not end on a day of an earlier one.
  const auditor_until = is_auditor === false ? null : input.auditor_until
  if (display_name !== undefined) checkText('display_name', display_name)
  if (password !== undefined) checkPasswordLength(password, 'password')
  return {
    ...(display_name !== undefined && { display_name }),
    ...(is_admin !== undefined && { is_admin }),
    ...(is_author !== undefined && { is_author }),
    ...(is_auditor !== undefined && { is_auditor }),
    ...(auditor_until !== undefined && {
      auditor_until: auditor_until === null ? null : parseAuditorUntil(auditor_until),
    }),
    ...(password !== undefined && { password }),
    ...(must_change_password !== undefined && { must_change_password }),
    ...(link_next_login !== undefined && { link_next_login }),
    ...(extra_time_percent !== undefined && { extra_time_percent }),
    ...(disabled_on !== undefined && { disabled_on: disabled_on === null ? null : parseDisabledOn(disabled_on) }),
    ...(email !== undefined && { email: email === null ? null : parseMailAddress(email) }),
    ...(personnel_number !== undefined && {
      personnel_number: personnel_number === null ? null : parsePersonnelNumber(personnel_number),
    }),
    ...(external_id !== undefined && { external_id: external_id === null ? null : parseExternalId(external_id) }),
  }
}

/** A description of an account by another system; absent fields stay unchanged, or get the defaults of a new account */
export interface GivenAccount extends Omit<AccountChange, 'external_id' | 'link_next_login'> {
  username?: string | undefined
}

/**
 * Parses a description of an account.
 * @throws InvalidInput under the conditions of `parseAccountChange`, or if the user name breaks a rule of user creation
 * @example parseGivenAccount({ username: ' erika ' }) // { username: 'erika' }
 */
export function parseGivenAccount(input: GivenAccount): GivenAccount {
  const username = input.username?.trim()
  if (username !== undefined) checkText('username', username)
  const change = parseAccountChange({ ...input, external_id: undefined, link_next_login: undefined })
  return { ...(username !== undefined && { username }), ...change }
}

/**
 * Parses a personnel number, which may contain any characters of one line. Upper and lower case differ.
 * @throws InvalidInput if the trimmed text is empty, has more than 40 code points or contains control characters
 * @example parsePersonnelNumber(' 00417 ') // '00417'
 */
export function parsePersonnelNumber(text: string): string {
  const number = toNfc(text).trim()
  if (number === '') throw new InvalidField('personnel_number', 'darf nicht leer sein')
  checkLength('personnel_number', number, MAX_PERSONNEL_NUMBER_LENGTH)
  checkLine('personnel_number', number)
  return number
}

/**
 * Parses a user id in a path: decimal digits with an optional sign. Returns undefined if the id does not fit into the
 * id column.
 * @throws InvalidInput if the text has another form
 * @example parseUserId('+7') // 7
 */
export function parseUserId(text: string): number | undefined {
  return parseRowId(text, 'Ungültige Benutzer-ID')
}

/**
 * Checks a text that the caller has trimmed.
 * @throws InvalidInput if the text is empty or too long, not storable, or contains control characters
 */
export function checkText(field: string, text: string): void {
  if (text === '') throw new InvalidField(field, 'darf nicht leer sein')
  checkName(field, text)
}

/** @throws InvalidInput if the name has more than 200 code points, is not storable, or contains control characters */
export function checkName(field: string, name: string): void {
  checkLength(field, name, MAX_NAME_LENGTH)
  checkLine(field, name)
}

function checkLength(field: string, text: string, maximum: number): void {
  if (countCharacters(text) > maximum) {
    throw new InvalidField(field, `darf höchstens ${maximum} Zeichen haben`, { details: { maximum } })
  }
}
