import type { MailComposerOptions } from 'nodemailer/lib/mail-composer'
import type { MailSettings } from '../../domain/mail/settings.js'

/** A mail as it is sent. */
export interface OutgoingMail {
  /** Left part of the `Message-ID`; the same for every attempt, so that mail programs recognise a repetition */
  id: string
  to: { name: string; address: string }
  subject: string
  body: string
  /** Address at which one request ends this kind of mail (RFC 8058) */
  unsubscribe?: string | undefined
}

/** Returns the mail as nodemailer composes it. Names and subjects may hold anything; they cannot add a header. */
export function composeMail(settings: MailSettings, mail: OutgoingMail): MailComposerOptions {
  const { id, to, subject, body, unsubscribe } = mail
  const { from } = settings
  return {
    messageId: `<${id}@${from.slice(from.indexOf('@') + 1)}>`,
    from: { name: inLine(settings.fromName ?? ''), address: from },
    to: { name: inLine(to.name), address: to.address },
    ...(settings.replyTo !== undefined && { replyTo: { name: '', address: settings.replyTo } }),
    subject: inLine(subject),
    text: body,
    headers: {
      'Auto-Submitted': 'auto-generated',
      // Exchange sends no out-of-office reply then.
      'X-Auto-Response-Suppress': 'All',
      ...(unsubscribe !== undefined && {
        'List-Unsubscribe': { prepared: true, value: `<${unsubscribe}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Direction marks would disguise the rest of the line. */
function inLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .toWellFormed()
    .trim()
}
