export const MAIL_KINDS = ['tasks', 'lead_digest', 'due_cards', 'confirm_address'] as const
export type MailKind = (typeof MAIL_KINDS)[number]

/** `unknown`: the service stopped while sending, so the mail may have arrived. */
export const MAIL_STATES = ['waiting', 'sending', 'sent', 'failed', 'unknown'] as const
export type MailState = (typeof MAIL_STATES)[number]

/** A mail to be put into the outbox. */
export interface NewMail {
  user_id: number
  kind: MailKind
  /** Day for which it is planned, as `YYYY-MM-DD`; one mail of a kind per person and day, except confirmations */
  day: string
  address: string
  subject: string
  /** Plain text; lines end with `\n` */
  body: string
  /** Time before which it is not sent */
  next_attempt_at: Date
}

/** Returns whether an administrator may send a mail again. A sent one is not: its text is gone, and the person has it. */
export function isResendable({ state, has_text }: { state: MailState; has_text: boolean }): boolean {
  return (state === 'unknown' || state === 'failed') && has_text
}

/**
 * Returns the address at which one POST request of a mail program ends the mails about due cards (RFC 8058).
 * @param publicUrl public address of the service, ending with a slash
 */
export function oneClickAddress(publicUrl: string, key: string): string {
  return `${publicUrl}api/mail/unsubscribe?key=${encodeURIComponent(key)}`
}
