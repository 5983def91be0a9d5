import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { MailKind } from '../../../src/domain/mail/mail.js'
import type { Remindable, ReminderKind } from '../../../src/domain/mail/reminders.js'
import type { OverdueTask } from '../../../src/domain/mail/texts.js'
import type { LanguageOfUser } from '../../../src/domain/text/language.js'
import type { Database } from '../../types.js'
import { isEnabled } from '../accounts/enabled.js'
import { MISSED } from '../assignments/missed.js'
import { inactiveCtes } from '../content/preferred.js'

// Raw SQL: the candidates are found by arithmetic on days in nested subqueries, and rows come from arrays.

export interface Recipient extends LanguageOfUser {
  id: number
  display_name: string
  email: string
}

export interface RecipientPage {
  /** Only this person; undefined for all */
  userId: number | undefined
  /** Id of the last person of the previous page */
  after: number
  limit: number
  /** `YYYY-MM-DD` */
  today: string
}

/**
 * Builds the condition that a user can receive a mail of this kind for this day. The condition need not check for a
 * confirmation: an address that the user has entered is stored in `users.email` only after its confirmation.
 */
function canGet(
  kind: MailKind,
  day: string,
  { userId, after, today }: Omit<RecipientPage, 'limit'>,
): RawBuilder<boolean> {
  return sql`users.id > ${after} and (${userId ?? null}::integer is null or users.id = ${userId ?? null}::integer)
    and email is not null and ${isEnabled(today)}
    and not exists (
      select from mails where mails.user_id = users.id and kind = ${kind} and day = ${day}::date)`
}

/**
 * Returns persons who may be due for a reminder of an open occurrence, ordered by id, and prevents their deletion. The
 * caller must check with `findDueReminder` whether a reminder is due.
 */
export async function listReminderCandidates(db: Kysely<Database>, page: RecipientPage): Promise<Recipient[]> {
  const { today, limit } = page
  const { rows } = await sql<Recipient>`
    select id, display_name, email, language, language_used
    from users
    where ${canGet('tasks', today, page)} and exists (
      select from (
        select occurrences.id, period, mandatory, coalesce(extended_until, occurrences.due_on) as due
        from occurrences join assignments on assignments.id = assignment_id and archived_at is null
        where user_id = users.id and state in ('open', 'in_progress') and period <= ${today}::date
      ) as task
      where greatest(
          period,
          case when due - 14 <= ${today}::date then due - 14 end,
          case when due - 3 <= ${today}::date then due - 3 end,
          case when due <= ${today}::date then due end,
          case when mandatory and due + 7 <= ${today}::date then due + 7 end
        ) > coalesce(
          (select max(reminded_on) from mail_reminders where occurrence_id = task.id), '-infinity')
    )
    order by id limit ${limit} for key share of users`.execute(db)
  return rows
}

/** An open occurrence with the inputs of `findDueReminder`. */
export interface OpenTask extends Remindable {
  id: number
  user_id: number
  title: string
  /** Number of earlier periods that the person has missed */
  missed: number
}

export async function listOpenTasks(
  db: Kysely<Database>,
  userIds: readonly number[],
  today: string,
): Promise<OpenTask[]> {
  const { rows } = await sql<OpenTask>`
    select occurrences.id, user_id, title, period, occurrences.due_on, extended_until, state, mandatory,
      ${MISSED} as missed, (select max(reminded_on) from mail_reminders where occurrence_id = occurrences.id) as reminded_on
    from occurrences join assignments on assignments.id = assignment_id and archived_at is null
    where user_id = any(${userIds}::integer[]) and state in ('open', 'in_progress') and period <= ${today}::date
    order by user_id, occurrences.id`.execute(db)
  return rows
}

/**
 * Records the day of reminders. Replaces the earlier day of the same kind, because a reminder can be due again after
 * the occurrence was extended.
 */
export async function recordReminders(
  transaction: Transaction<Database>,
  reminders: readonly { occurrence_id: number; kind: ReminderKind }[],
  today: string,
): Promise<void> {
  if (reminders.length === 0) return
  await sql`
    insert into mail_reminders (occurrence_id, kind, reminded_on)
    select occurrence_id, given.kind, ${today}::date
    from jsonb_to_recordset(${JSON.stringify(reminders)}::jsonb) as given (occurrence_id integer, kind text)
      join occurrences on occurrences.id = occurrence_id
    order by occurrence_id for key share of occurrences
    on conflict on constraint mail_reminders_pkey do update set reminded_on = excluded.reminded_on`.execute(transaction)
}

export interface DigestRecipient extends Recipient {
  /** Number of teams that the person leads */
  teams: number
  /** Number of overdue tasks */
  total: number
  /** At most `shown` of these tasks, by name of the person and due day */
  overdue: OverdueTask[]
}

/**
 * Returns leads whose members have mandatory tasks that were overdue when the week began, ordered by id.
 * @param monday first day of the week
 * @param shown maximum number of tasks in `overdue`
 * @param timeZone IANA name
 */
export async function listDigests(
  transaction: Transaction<Database>,
  { monday, shown, timeZone, ...page }: RecipientPage & { monday: string; shown: number; timeZone: string },
): Promise<DigestRecipient[]> {
  const wasOverdue = sql`(coalesce(extended_until, occurrences.due_on) < ${monday}::date or exists (
    select from occurrences as gone
    where gone.assignment_id = occurrences.assignment_id and gone.user_id = occurrences.user_id and gone.state = 'missed'
      and (gone.missed_at at time zone ${timeZone}::text)::date < ${monday}::date
  ) and ${MISSED} > 0)`
  const { rows } = await sql<DigestRecipient>`
    with leads as materialized (
      select id, display_name, email, language, language_used,
        (select count(*)::integer from team_members where user_id = users.id and role = 'lead' and until_on is null) as teams
      from users
      where ${canGet('lead_digest', monday, page)}
        and exists (
          select from team_members as led
            join team_members as member on member.team_id = led.team_id and member.until_on is null
            join occurrences on occurrences.user_id = member.user_id
            join assignments on assignments.id = assignment_id and archived_at is null and mandatory
            join users as person on person.id = member.user_id
          where led.user_id = users.id and led.role = 'lead' and led.until_on is null and member.user_id <> users.id
            and ${isEnabled(page.today, 'person')}
            and state in ('open', 'in_progress') and ${wasOverdue}
        )
      order by id limit ${page.limit} for key share of users
    )
    select leads.*, total, overdue
    from leads cross join lateral (
      select count(*)::integer as total,
        json_agg(json_build_object('user_id', user_id, 'person', person, 'title', title, 'due', due, 'missed', missed)
          order by position) filter (where position <= ${shown}) as overdue
      from (
        select person.id as user_id, person.display_name as person, title,
          coalesce(extended_until, occurrences.due_on) as due, ${MISSED} as missed,
          row_number() over (order by lower(person.display_name), person.id, coalesce(extended_until, occurrences.due_on))
            as position
        from users as person
          join occurrences on occurrences.user_id = person.id
          join assignments on assignments.id = assignment_id and archived_at is null and mandatory
        where person.id in (
            select member.user_id
            from team_members as led
              join team_members as member on member.team_id = led.team_id and member.until_on is null
            where led.user_id = leads.id and led.role = 'lead' and led.until_on is null
          )
          and person.id <> leads.id and ${isEnabled(page.today, 'person')}
          and state in ('open', 'in_progress') and ${wasOverdue}
      ) as task
    ) as tasks
    where total > 0
    order by leads.id`.execute(transaction)
  return rows
}

export interface DueCardsRecipient extends Recipient {
  key: string
  cards: number
}

/**
 * Returns persons who have enabled the mail about due cards and have due cards in active decks, ordered by id. Ignores
 * cards studied today. Omits persons whose free weekdays include today. Of a group, the deck in the language of the app
 * counts, unless the person has chosen another one, and the original for a person without a known language.
 */
export async function listWithDueCards(
  transaction: Transaction<Database>,
  page: RecipientPage,
): Promise<DueCardsRecipient[]> {
  const { today, limit } = page
  const languages = sql`array_remove(array[language, language_used], null)`
  const { rows } = await sql<DueCardsRecipient>`
    with wanting as materialized (
      select id, display_name, email, language, language_used, due_cards_mail_key as key, cards
      from users
      cross join lateral (
        select array(
          with ${inactiveCtes({ userId: sql`users.id`, languages })} select deck_id from inactive
        ) as deck_ids
      ) as inactive
      cross join lateral (
        select count(*)::integer as cards
        from card_progress as progress join decks on decks.id = progress.deck_id and decks.archived_at is null
        where progress.user_id = users.id and next_review <= ${today}::date and last_review < ${today}::date
          and not exists (
            select from suspended_cards
            where suspended_cards.user_id = users.id and suspended_cards.card_id = progress.card_id)
          and decks.id <> all (inactive.deck_ids)
      ) as due
      where due_cards_mail_key is not null and cards > 0 and ${canGet('due_cards', today, page)}
        and not exists (
          select from review_settings
          where review_settings.user_id = users.id and extract(isodow from ${today}::date) = any(free_weekdays))
      order by id limit ${limit}
    )
    select wanting.* from wanting join users using (id) order by id for key share of users`.execute(transaction)
  return rows
}
