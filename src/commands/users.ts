import { text } from 'node:stream/consumers'
import { isCancel, password as promptForPassword } from '@clack/prompts'
import { deleteAllSessions } from '../../db/queries/sessions.js'
import { deleteUser, findCredentials, insertUser, listUsers, updatePasswordHash } from '../../db/queries/users.js'
import { parseNewUser } from '../accounts.js'
import type { Config } from '../config.js'
import { checkPasswordLength, hashPassword } from '../passwords.js'
import { RefusedError, withDatabase } from './store.js'

type Print = (line: string) => void

export async function addUser(
  config: Config,
  username: string,
  options: { displayName?: string; admin?: boolean },
  print: Print,
): Promise<void> {
  const { password, ...user } = parseNewUser({
    username,
    display_name: options.displayName ?? username,
    password: await readPassword(),
    is_admin: options.admin,
  })
  const id = await withDatabase(config, 'POST /api/admin/users', async (db) =>
    insertUser(db, { ...user, password_hash: await hashPassword(password) }),
  )
  if (id === undefined) throw new RefusedError('Benutzername existiert bereits')
  print(`Benutzer erstellt: ${user.username} (${id})`)
}

export async function printUsers(config: Config, print: Print): Promise<void> {
  const users = await withDatabase(config, 'GET /api/admin/users', listUsers)
  for (const { id, username, display_name, is_admin } of users) {
    print(`${id}\t${username}\t${display_name}\t${is_admin ? 'Administrator' : 'Benutzer'}`)
  }
}

export async function removeUser(config: Config, username: string, print: Print): Promise<void> {
  await withDatabase(config, 'DELETE /api/admin/users/{id}', async (db) => {
    const user = await findCredentials(db, username)
    if (user === undefined) throw new RefusedError(`Es gibt keinen Benutzer ${username}.`)
    await deleteUser(db, user.id)
  })
  print(`Benutzer gelöscht: ${username}`)
}

/** Sets a new password; every session of the user ends. */
export async function changePassword(config: Config, username: string, print: Print): Promise<void> {
  const password = await readPassword()
  checkPasswordLength(password, 'password')
  const hash = await hashPassword(password)
  await withDatabase(config, 'POST /api/auth/password', async (db) => {
    const user = await findCredentials(db, username)
    if (user === undefined) throw new RefusedError(`Es gibt keinen Benutzer ${username}.`)
    await db.transaction().execute(async (transaction) => {
      await updatePasswordHash(transaction, user.id, hash)
      await deleteAllSessions(transaction, user.id)
    })
  })
  print(`Passwort geändert: ${username}`)
}

/** Asked for at a terminal, otherwise the first line of standard input; never an argument, which `ps` would show. */
async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? ''
  const answer = await promptForPassword({ message: 'Passwort' })
  if (isCancel(answer)) throw new RefusedError('Abgebrochen')
  return answer
}
