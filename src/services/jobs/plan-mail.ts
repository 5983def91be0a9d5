import { createMailTime } from '../../domain/mail/reminders.js'
import { planDigests, planDueCards, planReminders } from '../mail/plan-mails.js'
import type { JobContext, JobSummary } from './job.js'

/**
 * Puts the mails of the day into the outbox. Does nothing at weekends, before 7:00 or from 20:00 in the service's time
 * zone, or if no mail server or no `PUBLIC_URL` is configured.
 */
export async function planMail(context: JobContext): Promise<JobSummary> {
  const { db, moment, timeZone, companyName: issuer = null, mail, publicUrl, signal, userId, renewLease } = context
  const { defaultLanguage } = context
  const summary = { reminders: 0, tasks: 0, digests: 0, due_cards: 0 }
  if (mail === undefined || publicUrl === undefined || !createMailTime(timeZone)(moment())) return summary
  const planning = {
    moment,
    timeZone,
    issuer,
    userId,
    address: publicUrl,
    defaultLanguage,
    beforeBatch: async () => {
      signal.throwIfAborted()
      await renewLease()
    },
  }
  const { reminders, tasks } = await planReminders(db, planning)
  const digests = await planDigests(db, planning)
  return { reminders, tasks, digests, due_cards: await planDueCards(db, planning) }
}
