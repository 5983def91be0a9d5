import type { MailComposerOptions } from 'nodemailer/lib/mail-composer'
import type { MailSettings } from '../../domain/mail/settings.js'

export interface OutgoingMail {
  /** Left part of the `Message-ID`; the same for every attempt, so that mail programs can detect duplicates */
  id: string
  to: { name: string; address: string }
  subject: string
  body: string
  /** URL for unsubscribing from this kind of mail with one POST request (RFC 8058) */
  unsubscribe?: string | undefined
}

/** Returns nodemailer's options for the mail. Names and the subject may contain any text and cannot inject a header. */
export function composeMail(settings: MailSettings, mail: OutgoingMail): MailComposerOptions {
  const { id, to, subject, body, unsubscribe } = mail
  const { from } = settings
  return {
    messageId: `<${id}@${from.slice(from.indexOf('@') + 1)}>`,
    from: { name: inLine(settings.fromName ?? ''), address: from },
    to: { name: inLine(to.name), address: to.address },
    ...(settings.replyTo !== undefined && { replyTo: { name: '', address: settings.replyTo } }),
    subject: inLine(subject),
    // The separator of a signature (RFC 3676, section 4.3) ends with a space.
    text: settings.company === undefined ? body : `${body}\n-- \n${inLine(settings.company)}\n`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      // Keeps Exchange from sending an out-of-office reply.
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

/**
 * Replaces sequences of control characters, line breaks and bidirectional controls with a space, and trims the text.
 * Bidirectional controls could make the rest of the line appear in another order.
 */
function inLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .toWellFormed()
    .trim()
}
