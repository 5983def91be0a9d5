import { Type } from '@sinclair/typebox'
import { MAIL_KINDS, MAIL_STATES, type MailKind, type MailState } from '../../src/domain/mail/mail.js'
import { choice, NEXT_OF_NEWEST_FIRST, newestFirst } from '../../src/http/query.js'
import { nullable, Timestamp } from '../../src/http/schemas.js'

export const OutboxQuery = Type.Object({
  state: choice(MAIL_STATES, 'Only mails in this state; absent or empty means all.'),
  ...newestFirst({ maximum: 200, fallback: 50, cursor: 'int32' }),
})

const count = Type.Integer({ examples: [3] })

const ListedMail = Type.Object(
  {
    id: Type.Integer({ examples: [17] }),
    user: Type.Object({
      id: Type.Integer({ examples: [7] }),
      username: Type.String({ examples: ['erika'] }),
      display_name: Type.String({ examples: ['Erika Muster'] }),
    }),
    kind: Type.Unsafe<MailKind>({ type: 'string', enum: [...MAIL_KINDS] }),
    day: Type.String({ format: 'date', description: 'Day for which it was planned.', examples: ['2026-12-02'] }),
    address: Type.String({ examples: ['erika@example.org'] }),
    state: Type.Unsafe<MailState>({
      type: 'string',
      enum: [...MAIL_STATES],
      description: '`unknown`: sending was interrupted, so the mail may have arrived.',
    }),
    attempts: Type.Integer({ examples: [1] }),
    next_attempt_at: Timestamp,
    sent_at: nullable(Timestamp),
    answer: nullable(
      Type.String({ description: 'Last answer of the mail server.', examples: ['550 5.1.1 No such user'] }),
    ),
    created_at: Timestamp,
    may_resend: Type.Boolean({ description: 'Whether it can be sent again.' }),
  },
  { title: 'Mail' },
)

export const Outbox = Type.Object({
  mails: Type.Array(ListedMail),
  counts: Type.Object({ waiting: count, sending: count, sent: count, failed: count, unknown: count }),
  configured: Type.Boolean({ description: 'Whether a mail server is configured.' }),
  held: Type.Boolean({ description: 'Whether mails stay in the outbox because of `SIMULATED_DATE`.' }),
  ...NEXT_OF_NEWEST_FIRST,
})

export const MailParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['17'] }) })

export const TestMailBody = Type.Object({
  to: Type.String({ description: 'Address that gets the mail.', examples: ['erika@example.org'] }),
})

export const TestMailSent = Type.Object({
  ok: Type.Literal(true),
  answer: Type.String({ description: 'Answer of the mail server.', examples: ['250 2.0.0 Ok: queued as 4F2A'] }),
})
