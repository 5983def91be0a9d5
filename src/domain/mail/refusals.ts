import { Refusal } from '../refusal.js'
import type { DeliveryFault } from './delivery.js'

export const MAIL_NOT_FOUND = new Refusal('not_found', 'mail_not_found', 'Diese Mail gibt es nicht')
export const MAIL_NOT_RESENDABLE = new Refusal(
  'conflict',
  'mail_not_resendable',
  'Noch einmal senden lassen sich nur Mails, die gescheitert oder unklar sind und deren Text noch da ist',
)
export const MAIL_NOT_CONFIGURED = new Refusal(
  'conflict',
  'mail_not_configured',
  'Es ist kein Mailserver eingerichtet (SMTP_HOST und SMTP_FROM)',
)

/**
 * The mail server cannot be used, refuses the mail or does not reply in time; the message states the cause, as do the
 * details: the stage that failed, and what the server or the system said.
 */
export class MailServerRefuses extends Refusal {
  constructor(message: string, kind: DeliveryFault['stage'] | 'timeout', reply = '') {
    super('bad_gateway', 'mail_server_refuses', message, { details: { kind, reply } })
  }
}
