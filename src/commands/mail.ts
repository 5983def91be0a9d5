import { countMails, listMails } from '../../db/queries/mail/list.js'
import type { Config } from '../config.js'
import { parseMailAddress } from '../domain/mail/address.js'
import { MAIL_STATES } from '../domain/mail/mail.js'
import { parseChoice, parseRowId } from '../domain/text/parameters.js'
import { escapeField } from '../domain/text/printable.js'
import { resend } from '../services/mail/resend.js'
import { sendTestMail } from '../services/mail/test-mail.js'
import { commandLineActor } from './actor.js'
import { RefusedError, withDatabase } from './store.js'
import { momentOf } from './today.js'

type Print = (line: string) => void

interface Output {
  json?: boolean
}

/**
 * Sends a test mail and prints the reply of the mail server. Needs no database.
 * @throws InvalidInput if the address is invalid
 * @throws MAIL_NOT_CONFIGURED, MailServerRefuses under the conditions of `sendTestMail`
 * @throws RefusedError if a signal interrupts the command
 */
export async function testMail(config: Config, address: string, options: Output, print: Print): Promise<void> {
  const to = parseMailAddress(address, 'Adresse')
  const stopping = new AbortController()
  const stop = () => stopping.abort(new RefusedError('Abgebrochen; vielleicht ist die Mail trotzdem angekommen.'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    const { publicUrl, defaultLanguage: language } = config
    const reply = await sendTestMail(config.mail, to, { publicUrl, language, signal: stopping.signal })
    print(
      options.json ? JSON.stringify({ ok: true, answer: reply }) : `Der Mailserver hat die Mail angenommen: ${reply}`,
    )
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

export async function printMails(
  config: Config,
  options: Output & { state?: string; limit: number },
  print: Print,
): Promise<void> {
  const state = parseChoice(options.state, 'state', MAIL_STATES)
  const { mails, counts } = await withDatabase(config, 'GET /api/mail/outbox', async (db) => ({
    mails: await listMails(db, { state, limit: options.limit }),
    counts: await countMails(db),
  }))
  if (options.json) return print(JSON.stringify({ mails, counts }))
  for (const { id, user, kind, day, address, state, attempts, answer } of mails) {
    const fields = [user.username, kind, day, address, state, `${attempts}`, answer ?? '-']
    print([id, ...fields.map(escapeField)].join('\t'))
  }
}

/** Queues a mail again. The service, not this command, sends it. */
export async function resendMailNow(config: Config, id: string, options: Output, print: Print): Promise<void> {
  const number = parseRowId(id, 'Die Nummer einer Mail ist eine ganze Zahl; „mail list“ zeigt sie')
  await withDatabase(config, 'POST /api/mail/outbox/{id}/resend', (db) =>
    resend(db, commandLineActor(), { id: number, at: momentOf(config).at }),
  )
  print(options.json ? JSON.stringify({ ok: true }) : `Mail ${number} wartet wieder; der Dienst sendet sie gleich.`)
}
