import { type Kysely, sql } from 'kysely'
import type { CalendarEvent } from '../../../src/domain/calendar/icalendar.js'
import type { LanguageOfUser } from '../../../src/domain/text/language.js'
import type { Database } from '../../types.js'

// Raw SQL: the events are a JSON aggregate of an ordered and limited subquery.

/** Stores the hash of the token of a person's calendar; an earlier token becomes invalid. */
export async function putCalendarToken(db: Kysely<Database>, userId: number, tokenHash: Buffer): Promise<void> {
  await db
    .insertInto('calendar_tokens')
    .values({ user_id: userId, token_hash: tokenHash })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({ token_hash: tokenHash, created_at: sql<Date>`now()` }),
    )
    .execute()
}

export async function deleteCalendarToken(db: Kysely<Database>, userId: number): Promise<void> {
  await db.deleteFrom('calendar_tokens').where('user_id', '=', userId).execute()
}

export async function findCalendarToken(
  db: Kysely<Database>,
  userId: number,
): Promise<{ created_at: Date } | undefined> {
  return db.selectFrom('calendar_tokens').select('created_at').where('user_id', '=', userId).executeTakeFirst()
}

/** Maximum number of events in a calendar; far above the expected number of open occurrences of a person */
const MAX_EVENTS = 200

interface StoredCalendar extends LanguageOfUser {
  disabled_on: string | null
  events: CalendarEvent[]
}

/** Returns the owner's open occurrences by due day, at most `MAX_EVENTS`; undefined if the token is unknown. */
export async function findCalendar(db: Kysely<Database>, tokenHash: Buffer): Promise<StoredCalendar | undefined> {
  const { rows } = await sql<StoredCalendar>`
    select disabled_on, language, language_used, (
      select coalesce(json_agg(event order by coalesce(extended_until, due_on), id), '[]')
      from (
        select occurrences.id, title, occurrences.due_on, extended_until
        from occurrences join assignments on assignments.id = assignment_id
        where user_id = users.id and state in ('open', 'in_progress') and archived_at is null
        order by coalesce(extended_until, occurrences.due_on), occurrences.id limit ${MAX_EVENTS}
      ) as event
    ) as events
    from calendar_tokens join users on users.id = user_id
    where token_hash = ${tokenHash}`.execute(db)
  return rows[0]
}
