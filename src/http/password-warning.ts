import type { FastifyReply } from 'fastify'
import { isCommonPassword } from '../domain/accounts/common-passwords.js'

const PASSWORD_WARNING = 'x-password-warning'

/** Sets the warning if any of the passwords is common. */
export async function warnOfCommonPasswords(reply: FastifyReply, passwords: string[]): Promise<void> {
  for (const password of passwords) await warnOfCommonPassword(reply, password)
}

/** Warns in a header that the new password is common; the body is fixed by the contract. */
export async function warnOfCommonPassword(reply: FastifyReply, password: string): Promise<void> {
  if (await isCommonPassword(password)) reply.header(PASSWORD_WARNING, 'common')
}
