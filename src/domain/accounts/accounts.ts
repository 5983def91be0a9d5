import { BadRequest } from '../refusals.js'
import { checkStorable, parseRowId } from '../text/parameters.js'
import { countCharacters } from '../text/text.js'
import { checkPasswordLength } from './passwords.js'

export const MAX_NAME_LENGTH = 200

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

/** Trims the names and checks the rules of user creation in their order. @throws BadRequest */
export function parseNewUser(input: NewUserInput): NewUser {
  const username = input.username.trim()
  const display_name = input.display_name.trim()
  const { password } = input
  if (username === '' || display_name === '' || password === '') throw new BadRequest(MISSING_FIELDS)
  checkName('username', username)
  checkName('display_name', display_name)
  checkPasswordLength(password, 'password')
  return { username, display_name, password, is_admin: Boolean(input.is_admin) }
}

export interface AccountChange {
  display_name?: string | undefined
  is_admin?: boolean | undefined
  password?: string | undefined
  must_change_password?: boolean | undefined
  link_next_login?: boolean | undefined
}

/** Trims the name and checks the rules of user creation for what is to be changed. @throws BadRequest */
export function parseAccountChange(input: AccountChange): AccountChange {
  const { display_name: name, is_admin, password, must_change_password, link_next_login } = input
  const display_name = name?.trim()
  if (display_name !== undefined) checkText('display_name', display_name)
  if (password !== undefined) checkPasswordLength(password, 'password')
  return {
    ...(display_name !== undefined && { display_name }),
    ...(is_admin !== undefined && { is_admin }),
    ...(password !== undefined && { password }),
    ...(must_change_password !== undefined && { must_change_password }),
    ...(link_next_login !== undefined && { link_next_login }),
  }
}

/**
 * A user id of a path: decimal digits with an optional sign; undefined when no user can have that id.
 * @throws BadRequest when it is no number
 */
export function parseUserId(text: string): number | undefined {
  return parseRowId(text, 'Ungültige Benutzer-ID')
}

/** A name that has been trimmed and must not be empty. @throws BadRequest */
export function checkText(field: string, text: string): void {
  if (text === '') throw new BadRequest(`Das Feld "${field}" darf nicht leer sein`)
  checkName(field, text)
}

/** The upper limit of a name, and what the database can hold. @throws BadRequest */
export function checkName(field: string, name: string): void {
  if (countCharacters(name) > MAX_NAME_LENGTH) {
    throw new BadRequest(`Das Feld "${field}" darf höchstens ${MAX_NAME_LENGTH} Zeichen haben`)
  }
  checkStorable(field, name)
}
