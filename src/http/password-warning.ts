import type { FastifyReply } from 'fastify'
import { isCommonPassword } from '../domain/accounts/common-passwords.js'

const PASSWORD_WARNING = 'x-password-warning'

/** The same for many: whether any of them is. */
export async function warnOfCommonPasswords(reply: FastifyReply, passwords: string[]): Promise<void> {
  for (const password of passwords) await warnOfCommonPassword(reply, password)
}

/** Tells the caller in a header that the new password is a common one: the contract fixes the body. */
export async function warnOfCommonPassword(reply: FastifyReply, password: string): Promise<void> {
  if (await isCommonPassword(password)) reply.header(PASSWORD_WARNING, 'common')
}
