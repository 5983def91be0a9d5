import type { FastifyReply } from 'fastify'
import { isCommonPassword } from '../domain/accounts/common-passwords.js'

const PASSWORD_WARNING = 'x-password-warning'

/** Tells the caller by a header that the password just set is a common one; the answer's body is not ours to extend. */
export async function warnOfCommonPassword(reply: FastifyReply, password: string): Promise<void> {
  if (await isCommonPassword(password)) reply.header(PASSWORD_WARNING, 'common')
}
