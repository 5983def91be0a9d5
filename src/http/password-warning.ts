import type { FastifyReply } from 'fastify'
import { isCommonPassword } from '../domain/accounts/common-passwords.js'

const PASSWORD_WARNING = 'x-password-warning'

export async function warnOfCommonPasswords(reply: FastifyReply, passwords: string[]): Promise<void> {
  for (const password of passwords) await warnOfCommonPassword(reply, password)
}

/** Sets a warning header if the new password is common; the API contract allows no new field in the body. */
export async function warnOfCommonPassword(reply: FastifyReply, password: string): Promise<void> {
  if (await isCommonPassword(password)) reply.header(PASSWORD_WARNING, 'common')
}
