import { randomUUID } from 'node:crypto'
import { MAIL_NOT_CONFIGURED, MailServerRefuses } from '../../domain/mail/refusals.js'
import type { MailSettings } from '../../domain/mail/settings.js'
import { testMail } from '../../domain/mail/texts.js'
import type { Language } from '../../domain/text/language.js'
import { connectToMailServer, ServerFault } from './smtp.js'

/**
 * Timeout of a test mail. A mail that is being sent then gets 5 more seconds (`STOP_MS` in `smtp.ts`). The sum
 * must be shorter than the request timeouts of the proxy and the service.
 */
const LIMIT_MS = 20_000
const TOO_SLOW = `Der Mailserver hat nicht innerhalb von ${LIMIT_MS / 1_000} Sekunden geantwortet`

/**
 * Sends a test mail at once and returns the server's reply.
 * @throws MAIL_NOT_CONFIGURED if there are no mail settings
 * @throws MailServerRefuses if the server cannot be used, refuses the mail or does not reply within 20 seconds
 * @throws the reason of the signal if it is aborted
 */
export async function sendTestMail(
  settings: MailSettings | undefined,
  to: string,
  { publicUrl, language, signal }: { publicUrl: string | undefined; language: Language; signal: AbortSignal },
): Promise<string> {
  if (settings === undefined) throw MAIL_NOT_CONFIGURED
  const limit = AbortSignal.timeout(LIMIT_MS)
  try {
    const connection = await connectToMailServer(settings, AbortSignal.any([signal, limit]))
    try {
      const { verdict, stage, reply } = await connection.send({
        id: `test.${randomUUID()}`,
        to: { name: '', address: to },
        ...testMail(publicUrl, language),
      })
      if (verdict === 'sent') return reply
      throw new ServerFault(verdict === 'server' ? stage : 'mail', reply)
    } finally {
      connection.close()
    }
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) throw new MailServerRefuses(TOO_SLOW, 'timeout')
    if (error instanceof ServerFault) throw new MailServerRefuses(error.message, error.stage, error.reply)
    throw error
  }
}
