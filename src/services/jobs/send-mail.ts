import {
  type ClaimedMail,
  claimMail,
  deleteOldMails,
  failObsoleteMails,
  hasDueMail,
  markClaimUnknown,
  markFailed,
  markSent,
  markUnknown,
  postponeDueMails,
  postponeMail,
  releaseMail,
} from '../../../db/queries/mail/outbox.js'
import { MAX_DELAY_DAYS, nextAttempt, SERVER_RETRY_MINUTES } from '../../domain/mail/delivery.js'
import { oneClickAddress } from '../../domain/mail/mail.js'
import { addDays } from '../../domain/time/calendar.js'
import type { OutgoingMail } from '../mail/message.js'
import { connectToMailServer, type MailConnection, type MailOutcome, ServerFault } from '../mail/smtp.js'
import type { JobContext, JobSummary } from './job.js'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const KEEP_DAYS = 90
const MAILS_AT_ONCE = 1_000

const INTERRUPTED = 'Der Dienst wurde beim Verschicken unterbrochen; vielleicht ist die Mail angekommen'

/**
 * Sends the due mails of the outbox, one after another. The state of a mail is stored before and after sending it. If
 * the process dies in between, the mail may have arrived, so the next run sets its state to `unknown`. A mail in this
 * state is sent again only after `resend`.
 */
export async function sendMails(context: JobContext): Promise<JobSummary> {
  const { db, moment, mail: settings, isMailHeld, signal, userId, renewLease, onError } = context
  const summary = { sent: 0, postponed: 0, failed: 0, unknown: 0 }
  summary.unknown += await markUnknown(db, INTERRUPTED)
  if (settings === undefined || isMailHeld) return summary
  const start = moment()
  summary.failed += await failObsoleteMails(db, { at: start.at, userId }, start.today)
  if (!(await hasDueMail(db, { at: start.at, userId }))) return summary

  let connection: MailConnection | undefined
  try {
    for (;;) {
      signal.throwIfAborted()
      await renewLease()
      connection = connection?.isUsable() ? connection : await connectToMailServer(settings, signal)
      const mail = await claimMail(db, { at: moment().at, userId }, new Date())
      if (mail === undefined) return summary
      const outcome = await connection.send(toOutgoing(mail, context.publicUrl))
      if (outcome.verdict === 'server' || (outcome.verdict === 'later' && signal.aborted)) {
        await releaseMail(db, mail)
        signal.throwIfAborted()
        throw new ServerFault(outcome.stage, outcome.reply)
      }
      summary[await markOutcome(context, mail, outcome)]++
    }
  } catch (error) {
    if (!(error instanceof ServerFault)) throw error
    // A fault of the server affects all mails, so it does not count as an attempt of any mail.
    const { at, today } = moment()
    await postponeDueMails(
      db,
      { at, userId },
      {
        reply: error.message,
        until: new Date(at.getTime() + SERVER_RETRY_MINUTES * MINUTE_MS),
        failBefore: addDays(today, -MAX_DELAY_DAYS),
      },
    )
    onError(error, {})
    return summary
  } finally {
    connection?.close()
  }
}

async function markOutcome(
  { db, moment }: JobContext,
  mail: ClaimedMail,
  { verdict, reply }: MailOutcome,
): Promise<'sent' | 'postponed' | 'failed' | 'unknown'> {
  const { at } = moment()
  if (verdict === 'sent') {
    await markSent(db, mail, reply, at)
    return 'sent'
  }
  if (verdict === 'unknown') {
    await markClaimUnknown(db, mail, `${INTERRUPTED} (${reply})`)
    return 'unknown'
  }
  const until = verdict === 'refused' ? undefined : nextAttempt(mail.attempts, at)
  if (until !== undefined) {
    await postponeMail(db, mail, { reply, until })
    return 'postponed'
  }
  await markFailed(db, mail, { reply, keepsBody: verdict !== 'refused' })
  return 'failed'
}

function toOutgoing(mail: ClaimedMail, publicUrl: string | undefined): OutgoingMail {
  const { id, address, display_name, subject, body, created_at, kind, due_cards_mail_key: key } = mail
  return {
    id: `mail.${id}.${created_at.getTime()}`,
    to: { name: kind === 'confirm_address' ? '' : display_name, address },
    subject,
    body,
    ...(kind === 'due_cards' &&
      key !== null &&
      publicUrl !== undefined && { unsubscribe: oneClickAddress(publicUrl, key) }),
  }
}

/** Deletes mails that were created more than 90 days ago, whatever their state, except those that are being sent. */
export async function deleteSentMails({ db, moment, signal, renewLease }: JobContext): Promise<JobSummary> {
  const before = new Date(moment().at.getTime() - KEEP_DAYS * DAY_MS)
  const summary = { deleted: 0 }
  let deleted: number
  do {
    signal.throwIfAborted()
    await renewLease()
    deleted = await deleteOldMails(db, before, MAILS_AT_ONCE)
    summary.deleted += deleted
  } while (deleted === MAILS_AT_ONCE)
  return summary
}
