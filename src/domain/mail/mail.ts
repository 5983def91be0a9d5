export const MAIL_KINDS = ['tasks', 'lead_digest', 'due_cards', 'confirm_address'] as const
export type MailKind = (typeof MAIL_KINDS)[number]

/**
 * States of a mail. `unknown`: the service stopped or the connection broke during sending, so the mail may have
 * arrived.
 */
export const MAIL_STATES = ['waiting', 'sending', 'sent', 'failed', 'unknown'] as const
export type MailState = (typeof MAIL_STATES)[number]

export interface NewMail {
  user_id: number
  kind: MailKind
  /** Day of the mail, as `YYYY-MM-DD`; unique per person and kind, except for confirmations */
  day: string
  address: string
  subject: string
  /** Plain text; lines end with `\n` */
  body: string
  /** Earliest time of the first attempt to send the mail */
  next_attempt_at: Date
}

export function isResendable({ state, has_text }: { state: MailState; has_text: boolean }): boolean {
  return (state === 'unknown' || state === 'failed') && has_text
}

/**
 * Returns the address for one-click unsubscribing from the mails about due cards. Mail programs send a POST request to
 * this address (RFC 8058).
 * @param publicUrl public address of the service, ending with a slash
 * @example oneClickAddress('https://example.org/', 'k1') // 'https://example.org/api/mail/unsubscribe?key=k1'
 */
export function oneClickAddress(publicUrl: string, key: string): string {
  return `${publicUrl}api/mail/unsubscribe?key=${encodeURIComponent(key)}`
}
