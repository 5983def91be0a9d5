import type { Kysely, Transaction } from 'kysely'
import { insertMails } from '../../../db/queries/mail/outbox.js'
import {
  listDigests,
  listOpenTasks,
  listReminderCandidates,
  listWithDueCards,
  type OpenTask,
  type Recipient,
  type RecipientPage,
  recordReminders,
} from '../../../db/queries/mail/recipients.js'
import { tryLock } from '../../../db/queries/try-lock.js'
import type { Database } from '../../../db/types.js'
import { dueOf } from '../../domain/assignments/plan.js'
import type { MailKind, NewMail } from '../../domain/mail/mail.js'
import { findDueReminder, type ReminderKind } from '../../domain/mail/reminders.js'
import {
  digestMail,
  dueCardsMail,
  MAX_TASKS,
  type MailFrame,
  type MailText,
  tasksMail,
} from '../../domain/mail/texts.js'
import { type Language, languageOf } from '../../domain/text/language.js'
import { type Moment, mondayOf } from '../../domain/time/calendar.js'
import { type AssignmentContext, completeOccurrences } from '../assignments/plan.js'

const PERSON_BATCH_SIZE = 200

export interface MailPlanning extends AssignmentContext {
  /** Public address of the service, ending with a slash */
  address: string
  /** Language of mails to persons without a known one */
  defaultLanguage: Language
  /** Limits the planning to this person; undefined for all */
  userId: number | undefined
  /** Called before each batch; may throw to end the work */
  beforeBatch: () => Promise<void>
}

/**
 * Plans one mail for each person with a due reminder. The mail lists up to `MAX_TASKS` open tasks of the person.
 * Returns the numbers of mails (`tasks`) and of reminders.
 */
export async function planReminders(db: Kysely<Database>, planning: MailPlanning) {
  let reminders = 0
  const prepare = async (page: RecipientPage) => {
    const open = await openTasksOf(db, await listReminderCandidates(db, page), page.today)
    const due = [...open.values()].flat().filter((task) => findDueReminder(task, page.today) !== undefined)
    // Marks completed tasks as done, so that no mail reminds a person of them.
    await completeOccurrences(db, { ids: due.map(({ id }) => id) }, planning)
  }
  const tasks = await inBatches(db, planning, prepare, async (transaction, page, { at, today }) => {
    const persons = await listReminderCandidates(transaction, page)
    const open = await openTasksOf(transaction, persons, today)
    const given: { occurrence_id: number; kind: ReminderKind }[] = []
    const mails = persons.flatMap((person) => {
      const own = (open.get(person.id) ?? []).map((task) => ({ ...task, reminder: findDueReminder(task, today) }))
      const due = own.flatMap(({ id, reminder }) =>
        reminder === undefined ? [] : [{ occurrence_id: id, kind: reminder }],
      )
      if (due.length === 0) return []
      given.push(...due)
      const shown = own.map((task) => ({
        title: task.title,
        due: dueOf(task),
        missed: task.missed,
        mandatory: task.mandatory,
        isNew: task.reminder === 'assigned',
      }))
      const text = tasksMail({ name: person.display_name, tasks: shown, today }, frameFor(person, planning))
      return mailTo(person, 'tasks', today, at, text)
    })
    await recordReminders(transaction, given, today)
    reminders += given.length
    return { persons, mails }
  })
  return { tasks, reminders }
}

/**
 * Plans the weekly mail for leads whose members have open mandatory tasks that were overdue on Monday, even if the mail
 * is planned later in the week. The mail lists up to `MAX_TASKS` of these tasks. Returns the number of mails.
 */
export function planDigests(db: Kysely<Database>, planning: MailPlanning): Promise<number> {
  return inBatches(db, planning, undefined, async (transaction, page, { at, today }) => {
    const monday = mondayOf(today)
    const persons = await listDigests(transaction, { ...page, monday, shown: MAX_TASKS, timeZone: planning.timeZone })
    const mails = persons.map(({ teams, overdue, total, ...lead }) => {
      const text = digestMail({ name: lead.display_name, teams, overdue, total, today }, frameFor(lead, planning))
      return mailTo(lead, 'lead_digest', monday, at, text)
    })
    return { persons, mails }
  })
}

/** Plans the mail about due cards for the recipients that `listWithDueCards` returns. Returns the number of mails. */
export function planDueCards(db: Kysely<Database>, planning: MailPlanning): Promise<number> {
  return inBatches(db, planning, undefined, async (transaction, page, { at, today }) => {
    const persons = await listWithDueCards(transaction, page)
    const mails = persons.map(({ cards, key, ...person }) => {
      const text = dueCardsMail({ name: person.display_name, cards, key }, frameFor(person, planning))
      return mailTo(person, 'due_cards', today, at, text)
    })
    return { persons, mails }
  })
}

type PlanBatch = (
  transaction: Transaction<Database>,
  page: RecipientPage,
  moment: Moment,
) => Promise<{ persons: readonly Recipient[]; mails: NewMail[] }>

/**
 * Plans the mails of one kind in batches of persons, each in a separate transaction. Ends early if another transaction
 * holds the lock for planning mails. Returns the number of mails.
 */
async function inBatches(
  db: Kysely<Database>,
  { moment, userId, beforeBatch }: MailPlanning,
  prepare: ((page: RecipientPage) => Promise<void>) | undefined,
  plan: PlanBatch,
): Promise<number> {
  let planned = 0
  for (let after = 0; ; ) {
    await beforeBatch()
    const now = moment()
    const page = { userId, after, limit: PERSON_BATCH_SIZE, today: now.today }
    await prepare?.(page)
    const last = await db.transaction().execute(async (transaction) => {
      if (!(await tryLock(transaction, 'mail'))) return undefined
      const { persons, mails } = await plan(transaction, page, now)
      planned += (await insertMails(transaction, mails)).length
      return persons.length < PERSON_BATCH_SIZE ? undefined : persons.at(-1)?.id
    })
    if (last === undefined) return planned
    after = last
  }
}

async function openTasksOf(db: Kysely<Database>, persons: readonly Recipient[], today: string) {
  const ids = persons.map(({ id }) => id)
  const open = new Map<number, OpenTask[]>()
  for (const task of ids.length === 0 ? [] : await listOpenTasks(db, ids, today)) {
    const own = open.get(task.user_id)
    if (own === undefined) open.set(task.user_id, [task])
    else own.push(task)
  }
  return open
}

function frameFor(person: Recipient, { address, defaultLanguage }: MailPlanning): MailFrame {
  return { address, language: languageOf(person, defaultLanguage) }
}

function mailTo({ id, email }: Recipient, kind: MailKind, day: string, at: Date, { subject, body }: MailText): NewMail {
  return { user_id: id, kind, day, address: email, subject, body, next_attempt_at: at }
}
