import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { lockMail, resendMail } from '../../../db/queries/mail/list.js'
import type { Database } from '../../../db/types.js'
import { isResendable } from '../../domain/mail/mail.js'
import { MAIL_NOT_FOUND, MAIL_NOT_RESENDABLE } from '../../domain/mail/refusals.js'

/**
 * Queues a mail for sending again if its state is `failed` or `unknown`, with an audit entry.
 * @throws MAIL_NOT_FOUND if there is no mail with the id, or `id` is undefined
 * @throws MAIL_NOT_RESENDABLE if the mail has another state or its text was deleted
 */
export async function resend(
  db: Kysely<Database>,
  actor: Actor,
  { id, at }: { id: number | undefined; at: Date },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const mail = id === undefined ? undefined : await lockMail(transaction, id)
    if (mail === undefined) throw MAIL_NOT_FOUND
    if (!isResendable(mail)) throw MAIL_NOT_RESENDABLE
    await resendMail(transaction, mail.id, at)
    await insertAuditEntry(transaction, actor, {
      action: 'mail.resend',
      target_id: mail.user_id,
      target: mail.username,
      details: { mail: mail.id, kind: mail.kind },
    })
  })
}
