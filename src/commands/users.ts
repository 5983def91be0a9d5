import { text } from 'node:stream/consumers'
import { isCancel, password as promptForPassword } from '@clack/prompts'
import type { Kysely } from 'kysely'
import { findCredentials, listUsers } from '../../db/queries/accounts/users.js'
import type { Database } from '../../db/types.js'
import type { Config } from '../config.js'
import { parseNewUser } from '../domain/accounts/accounts.js'
import { isCommonPassword } from '../domain/accounts/common-passwords.js'
import { checkPasswordLength } from '../domain/accounts/passwords.js'
import { toField } from '../domain/text/printable.js'
import { changeAccount, createAccount, removeAccount } from '../services/accounts/change-account.js'
import { commandLineActor } from './actor.js'
import { complain } from './complain.js'
import { RefusedError, withDatabase } from './store.js'

type Print = (line: string) => void

interface Output {
  json?: boolean
}

/** Creates a user and prints the id. @throws BadRequest when a rule of user creation is broken */
export async function addUser(
  config: Config,
  username: string,
  options: { displayName?: string; admin?: boolean; json?: boolean },
  print: Print,
): Promise<void> {
  const user = parseNewUser({
    username,
    display_name: options.displayName ?? username,
    password: await readPassword(),
    is_admin: options.admin,
  })
  const id = await withDatabase(config, 'POST /api/admin/users', (db) => createAccount(db, commandLineActor(), user))
  await warnOfCommonPassword(user.password)
  print(options.json ? JSON.stringify({ id }) : `Benutzer erstellt: ${toField(user.username)} (${id})`)
}

/** Prints all users by id: one line each, or one JSON object. */
export async function printUsers(config: Config, options: Output, print: Print): Promise<void> {
  const users = await withDatabase(config, 'GET /api/admin/users', listUsers)
  if (options.json) return print(JSON.stringify({ users }))
  for (const { id, username, display_name, is_admin } of users) {
    print([id, toField(username), toField(display_name), is_admin ? 'Administrator' : 'Benutzer'].join('\t'))
  }
}

/** Deletes the user, who must exist and must not be the last administrator. */
export async function removeUser(config: Config, username: string, options: Output, print: Print): Promise<void> {
  const id = await withDatabase(config, 'DELETE /api/admin/users/{id}', async (db) => {
    const found = await findId(db, username)
    await removeAccount(db, commandLineActor(), found)
    return found
  })
  print(options.json ? JSON.stringify({ id }) : `Benutzer gelöscht: ${toField(username)}`)
}

/** Sets a new password; every session of the user ends. */
export async function changePassword(config: Config, username: string, options: Output, print: Print): Promise<void> {
  const password = await readPassword()
  checkPasswordLength(password, 'password')
  const id = await withDatabase(config, 'PATCH /api/accounts/{id}', async (db) => {
    const found = await findId(db, username)
    await changeAccount(db, commandLineActor(), found, { password })
    return found
  })
  await warnOfCommonPassword(password)
  print(options.json ? JSON.stringify({ id }) : `Passwort geändert: ${toField(username)}`)
}

async function findId(db: Kysely<Database>, username: string): Promise<number> {
  const user = await findCredentials(db, username)
  if (user === undefined) throw new RefusedError(`Es gibt keinen Benutzer ${username}.`)
  return user.id
}

async function warnOfCommonPassword(password: string): Promise<void> {
  if (!(await isCommonPassword(password))) return
  complain('Warnung: Dieses Passwort gehört zu den häufigsten und ist leicht zu erraten.')
}

/** Asked for at a terminal, otherwise the first line of standard input; never an argument, which `ps` would show. */
async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? ''
  const answer = await promptForPassword({ message: 'Passwort' })
  if (isCancel(answer)) throw new RefusedError('Abgebrochen')
  return answer
}
