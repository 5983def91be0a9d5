import { text } from 'node:stream/consumers'
import { isCancel, password as promptForPassword } from '@clack/prompts'
import type { Kysely } from 'kysely'
import { listSessions } from '../../db/queries/accounts/sessions.js'
import { listServiceTokens, listTokens } from '../../db/queries/accounts/tokens.js'
import { findCredentials, listUsersWithState } from '../../db/queries/accounts/users.js'
import type { Database } from '../../db/types.js'
import type { Config } from '../config.js'
import { type AccountChange, parseAccountChange, parseNewUser } from '../domain/accounts/accounts.js'
import { isCommonPassword } from '../domain/accounts/common-passwords.js'
import { checkPasswordLength } from '../domain/accounts/passwords.js'
import { parseRowId } from '../domain/text/parameters.js'
import { escapeField } from '../domain/text/printable.js'
import { changeAccount, createAccount, removeAccount, setEmergency } from '../services/accounts/change-account.js'
import { endSessions, endTokens } from '../services/accounts/revoke.js'
import { commandLineActor } from './actor.js'
import { printError } from './print-error.js'
import { RefusedError, withDatabase } from './store.js'
import { clockOf, momentOf } from './today.js'

type Print = (line: string) => void

interface Output {
  json?: boolean
}

/** @throws InvalidInput if a name or the password is invalid, or the name is taken */
export async function addUser(
  config: Config,
  username: string,
  options: { displayName?: string; admin?: boolean; mustChange?: boolean; json?: boolean },
  print: Print,
): Promise<void> {
  const user = parseNewUser({
    username,
    display_name: options.displayName ?? username,
    password: await readPassword(),
    is_admin: options.admin,
  })
  const account = { ...user, must_change_password: options.mustChange === true }
  const id = await withDatabase(config, 'POST /api/admin/users', (db) => createAccount(db, commandLineActor(), account))
  await warnOfCommonPassword(user.password)
  print(options.json ? JSON.stringify({ id }) : `Benutzer erstellt: ${escapeField(user.username)} (${id})`)
}

export async function printUsers(config: Config, options: Output, print: Print): Promise<void> {
  const users = await withDatabase(config, 'GET /api/accounts', listUsersWithState)
  if (options.json) return print(JSON.stringify({ users }))
  for (const { id, username, display_name, is_admin, is_author, is_auditor, auditor_until, ...user } of users) {
    const { disabled_on, email } = user
    const role = is_admin ? 'Administrator' : is_author ? 'Autor' : 'Benutzer'
    const end = disabled_on === null ? [] : [`deaktiviert ab ${disabled_on}`]
    const auditor = is_auditor ? [auditor_until === null ? 'Prüfer' : `Prüfer bis ${auditor_until}`] : []
    const address = email === null ? [] : [escapeField(email)]
    print([id, escapeField(username), escapeField(display_name), role, ...auditor, ...address, ...end].join('\t'))
  }
}

/**
 * @throws RefusedError if the user is unknown
 * @throws InvalidInput under the conditions of `removeAccount`
 */
export async function removeUser(config: Config, username: string, options: Output, print: Print): Promise<void> {
  const id = await withDatabase(config, 'DELETE /api/admin/users/{id}', async (db) => {
    const found = await findId(db, username)
    await removeAccount(db, commandLineActor(), found, {
      offered: { password: config.passwordLogin },
      context: { ...clockOf(config), issuer: config.companyName ?? null },
    })
    return found
  })
  print(options.json ? JSON.stringify({ id }) : `Benutzer gelöscht: ${escapeField(username)}`)
}

/**
 * Sets a new password and deletes all sessions, API tokens and the calendar address of the user. Also lifts the
 * restriction of the account to passkeys.
 * @throws RefusedError if the user is unknown
 * @throws InvalidInput if the password is too short or too long
 */
export async function changePassword(
  config: Config,
  username: string,
  options: Output & { mustChange?: boolean },
  print: Print,
): Promise<void> {
  const password = await readPassword()
  checkPasswordLength(password, 'password')
  const id = await change(config, username, { password, ...(options.mustChange && { must_change_password: true }) })
  await warnOfCommonPassword(password)
  print(options.json ? JSON.stringify({ id }) : `Passwort geändert: ${escapeField(username)}`)
}

/** @throws RefusedError if the user is unknown */
export async function markAuthor(
  config: Config,
  username: string,
  options: Output & { off?: boolean },
  print: Print,
): Promise<void> {
  const is_author = options.off !== true
  const id = await change(config, username, { is_author })
  if (options.json) return print(JSON.stringify({ id, is_author }))
  print(`${is_author ? 'Darf Inhalte schreiben' : 'Darf keine Inhalte mehr schreiben'}: ${escapeField(username)}`)
}

/**
 * Makes a user an auditor, by default without an end, or revokes the role.
 * @throws InvalidInput if the last day is invalid
 * @throws RefusedError if the user is unknown
 */
export async function markAuditor(
  config: Config,
  username: string,
  options: Output & { until?: string; off?: boolean },
  print: Print,
): Promise<void> {
  const is_auditor = options.off !== true
  const granted = parseAccountChange({ is_auditor, auditor_until: options.until ?? null })
  const id = await change(config, username, granted)
  const { auditor_until } = granted
  if (options.json) return print(JSON.stringify({ id, is_auditor, auditor_until }))
  const state = auditor_until === null ? 'Prüfer' : `Prüfer bis ${auditor_until}`
  print(`${is_auditor ? state : 'Kein Prüfer mehr'}: ${escapeField(username)}`)
}

/**
 * Disables an account from a given day, by default today, or enables it again.
 * @throws RefusedError if the user is unknown
 * @throws InvalidInput if the day is invalid, or under the conditions of `changeAccount`
 */
export async function disableUser(
  config: Config,
  username: string,
  options: Output & { from?: string; off?: boolean },
  print: Print,
): Promise<void> {
  const day = options.from ?? momentOf(config).today
  const disabled_on = options.off === true ? null : day
  const values = parseAccountChange({ disabled_on })
  const { id, tokens } = await changing(config, username, values, async (db, found) =>
    // Read before the change, which may delete the tokens.
    disabled_on === null ? undefined : await listServiceTokens(db, found),
  )
  if (options.json) return print(JSON.stringify({ id, disabled_on, ...(tokens && { service_tokens: tokens }) }))
  print(
    `${disabled_on === null ? 'Nicht mehr deaktiviert' : `Deaktiviert ab ${disabled_on}`}: ${escapeField(username)}`,
  )
  for (const { id, name } of tokens ?? []) print(`Dienst-Token endet: ${escapeField(name)} (${id})`)
}

/**
 * @throws InvalidInput if the address is invalid
 * @throws RefusedError if the user is unknown, or if both or neither of an address and `off` are given
 */
export async function setEmail(
  config: Config,
  username: string,
  address: string | undefined,
  options: Output & { off?: boolean },
  print: Print,
): Promise<void> {
  if ((address === undefined) !== (options.off === true)) {
    throw new RefusedError('Erwartet wird eine Adresse oder --off.')
  }
  const { email = null } = parseAccountChange({ email: address ?? null })
  const id = await change(config, username, { email })
  if (options.json) return print(JSON.stringify({ id, email }))
  const state = email === null ? 'Keine E-Mail-Adresse mehr' : `E-Mail-Adresse ${escapeField(email)}`
  print(`${state}: ${escapeField(username)}`)
}

/**
 * @throws InvalidInput if the number is invalid or another account has it
 * @throws RefusedError if the user is unknown, or if both or neither of a number and `off` are given
 */
export async function setPersonnelNumber(
  config: Config,
  username: string,
  number: string | undefined,
  options: Output & { off?: boolean },
  print: Print,
): Promise<void> {
  if ((number === undefined) !== (options.off === true)) {
    throw new RefusedError('Erwartet wird eine Personalnummer oder --off.')
  }
  const { personnel_number = null } = parseAccountChange({ personnel_number: number ?? null })
  const id = await change(config, username, { personnel_number })
  if (options.json) return print(JSON.stringify({ id, personnel_number }))
  const state =
    personnel_number === null ? 'Keine Personalnummer mehr' : `Personalnummer ${escapeField(personnel_number)}`
  print(`${state}: ${escapeField(username)}`)
}

async function change(config: Config, username: string, values: AccountChange): Promise<number> {
  return (await changing(config, username, values, async () => undefined)).id
}

/** Changes an account. Returns its id, and the tokens that `list` finds before the change. */
async function changing<T>(
  config: Config,
  username: string,
  values: AccountChange,
  list: (db: Kysely<Database>, id: number) => Promise<T>,
): Promise<{ id: number; tokens: T }> {
  return withDatabase(config, 'PATCH /api/accounts/{id}', async (db) => {
    const id = await findId(db, username)
    const tokens = await list(db, id)
    const today = momentOf(config).today
    const rules = { offered: { password: config.passwordLogin }, today }
    await changeAccount(db, commandLineActor(), id, values, rules)
    return { id, tokens }
  })
}

/**
 * Grants or revokes emergency access: password login while it is disabled for other accounts.
 * @throws RefusedError if the user is unknown
 * @throws InvalidInput if the last administrator with emergency access would lose it while password login is disabled
 */
export async function markEmergency(
  config: Config,
  username: string,
  options: Output & { off?: boolean },
  print: Print,
): Promise<void> {
  const emergency = options.off !== true
  const id = await withDatabase(config, null, async (db) => {
    const found = await findId(db, username)
    await setEmergency(db, commandLineActor(), found, emergency, { password: config.passwordLogin })
    return found
  })
  if (options.json) return print(JSON.stringify({ id, emergency }))
  print(`${emergency ? 'Notfallzugang' : 'Kein Notfallzugang mehr'}: ${escapeField(username)}`)
}

interface Ending extends Output {
  /** Id of the session or token to end, or true for all; if absent, the command lists them */
  end?: string | true
}

export async function showSessions(config: Config, username: string, options: Ending, print: Print): Promise<void> {
  const { end } = options
  if (end !== undefined) {
    const id = parseEnd(end, 'Ungültige Sitzungs-ID', Number.MAX_SAFE_INTEGER)
    const ended = await withDatabase(config, 'DELETE /api/accounts/{id}/sessions', async (db) =>
      endSessions(db, commandLineActor(), await findId(db, username), id),
    )
    return print(options.json ? JSON.stringify({ ended }) : `Sitzungen beendet: ${ended}`)
  }
  const sessions = await withDatabase(config, 'GET /api/accounts/{id}/sessions', async (db) =>
    listSessions(db, await findId(db, username)),
  )
  if (options.json) return print(JSON.stringify({ sessions }))
  for (const { id, created_at, expires_at, address, user_agent } of sessions) {
    printFields([id, created_at, expires_at, address, user_agent], print)
  }
}

export async function showTokens(config: Config, username: string, options: Ending, print: Print): Promise<void> {
  const { end } = options
  if (end !== undefined) {
    const id = parseEnd(end, 'Ungültige Token-ID')
    const ended = await withDatabase(config, 'DELETE /api/accounts/{id}/tokens', async (db) =>
      endTokens(db, commandLineActor(), await findId(db, username), id),
    )
    return print(options.json ? JSON.stringify({ ended }) : `API-Token gelöscht: ${ended}`)
  }
  const tokens = await withDatabase(config, 'GET /api/accounts/{id}/tokens', async (db) =>
    listTokens(db, await findId(db, username)),
  )
  if (options.json) return print(JSON.stringify({ tokens }))
  for (const { id, name, scopes, created_at, last_used_at, expires_at } of tokens) {
    printFields([id, name, scopes.join(','), created_at, last_used_at, expires_at], print)
  }
}

/**
 * Returns the id as a number, or undefined for `true`, which ends all sessions or tokens.
 * @throws InvalidInput with the message if the id is not a number
 * @throws RefusedError with the message if the id exceeds the range of the id column
 */
function parseEnd(end: string | true, message: string, maximum?: number): number | undefined {
  if (end === true) return undefined
  const id = parseRowId(end, message, maximum)
  if (id === undefined) throw new RefusedError(message)
  return id
}

function printFields(fields: (number | string | Date | null)[], print: Print): void {
  const texts = fields.map((field) => (field instanceof Date ? field.toISOString() : escapeField(String(field ?? '-'))))
  print(texts.join('\t'))
}

async function findId(db: Kysely<Database>, username: string): Promise<number> {
  const user = await findCredentials(db, username)
  if (user === undefined) throw new RefusedError(`Es gibt keinen Benutzer ${username}.`)
  return user.id
}

async function warnOfCommonPassword(password: string): Promise<void> {
  if (!(await isCommonPassword(password))) return
  printError('Warnung: Dieses Passwort gehört zu den häufigsten und ist leicht zu erraten.')
}

/**
 * Prompts for the password in a terminal, otherwise reads the first line of standard input. The password is not an
 * argument, because `ps` would show it.
 */
async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? ''
  const entered = await promptForPassword({ message: 'Passwort' })
  if (isCancel(entered)) throw new RefusedError('Abgebrochen')
  return entered
}
