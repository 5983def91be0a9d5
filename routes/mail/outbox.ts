import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { insertAuditEntry } from '../../db/queries/accounts/audit.js'
import { countMails, listMails } from '../../db/queries/mail/list.js'
import { actorOf } from '../../plugins/auth.js'
import { parseMailAddress } from '../../src/domain/mail/address.js'
import { isResendable } from '../../src/domain/mail/mail.js'
import {
  MAIL_NOT_CONFIGURED,
  MAIL_NOT_FOUND,
  MAIL_NOT_RESENDABLE,
  MailServerRefuses,
} from '../../src/domain/mail/refusals.js'
import { cutPage } from '../../src/domain/page.js'
import { TooManyAttempts } from '../../src/domain/refusal.js'
import { languageOf } from '../../src/domain/text/language.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { Done, responses } from '../../src/http/schemas.js'
import { resend } from '../../src/services/mail/resend.js'
import { sendTestMail } from '../../src/services/mail/test-mail.js'
import { MailParams, Outbox, OutboxQuery, TestMailBody, TestMailSent } from './schemas.js'

/** Maximum number of test mails per minute and instance: enough to try settings, too few to flood a mailbox */
const MAX_TESTS = 5
const MINUTE_MS = 60_000

/** Outbox routes for administrators. They show recipient, kind and state of each mail, but not its subject and text. */
const outbox: FastifyPluginAsyncTypebox = async (app) => {
  const { mail, publicUrl, simulatedDate } = app.config
  let tests: number[] = []

  app.get(
    '/outbox',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listMails',
        summary: 'Mails of the last 90 days, newest first',
        description: 'Subject and text are not shown.',
        tags: ['mail'],
        querystring: OutboxQuery,
        response: responses(Outbox),
      },
    },
    async ({ query }) => {
      const { limit, state, after: before = query.before } = query
      const found = await listMails(app.db, { state, before, limit: limit + 1 })
      const { page, next } = cutPage(found, limit, ({ id }) => id)
      return {
        mails: page.map(({ has_text, ...one }) => ({ ...one, may_resend: isResendable({ ...one, has_text }) })),
        counts: await countMails(app.db),
        configured: mail !== undefined,
        held: simulatedDate !== undefined,
        next_after: next,
        next_before: next,
      }
    },
  )

  app.post(
    '/outbox/:id/resend',
    {
      schema: {
        operationId: 'resendMail',
        summary: 'Send a mail again that failed or may not have arrived',
        description: 'It waits in the outbox and is sent within about a minute. Its `Message-ID` stays the same.',
        tags: ['mail'],
        params: MailParams,
        response: responses(Done, [MAIL_NOT_FOUND, MAIL_NOT_RESENDABLE]),
      },
    },
    async (request) => {
      const id = parseRowId(request.params.id, 'Ungültige Mail-ID')
      await resend(app.db, actorOf(request), { id, at: app.clock.now() })
      return { ok: true as const }
    },
  )

  app.post(
    '/test',
    {
      schema: {
        operationId: 'sendTestMail',
        summary: 'Send a test mail at once',
        description: `Returns the answer of the mail server within 25 seconds. At most ${MAX_TESTS} per minute.`,
        tags: ['mail'],
        body: TestMailBody,
        response: responses(TestMailSent, [
          MAIL_NOT_CONFIGURED,
          new MailServerRefuses(`Die Anmeldung beim Mailserver ist gescheitert: ${EXAMPLE}`, 'login', EXAMPLE),
        ]),
      },
    },
    async (request) => {
      const to = parseMailAddress(request.body.to, 'to')
      if (mail === undefined) throw MAIL_NOT_CONFIGURED
      const now = performance.now()
      tests = tests.filter((at) => at > now - MINUTE_MS)
      const [first] = tests
      if (first !== undefined && tests.length >= MAX_TESTS) {
        throw new TooManyAttempts(Math.ceil((first + MINUTE_MS - now) / 1_000))
      }
      tests.push(now)
      await insertAuditEntry(app.db, actorOf(request), { action: 'mail.test', target: to })
      const language = languageOf(request.user, app.config.defaultLanguage)
      return { ok: true as const, answer: await sendTestMail(mail, to, { publicUrl, language, signal: app.stopping }) }
    },
  )
}

const EXAMPLE = '535 5.7.8 Bad credentials'

export default outbox
