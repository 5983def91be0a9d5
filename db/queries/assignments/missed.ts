import { sql } from 'kysely'

// Raw SQL: conditions on an alias, for queries in raw SQL.

/** Condition that the missed occurrence `gone` has no later one that was done, exempt or recognised */
export const IS_NOT_MADE_UP = sql`gone.state = 'missed' and not exists (
  select from occurrences as later
  where later.assignment_id = gone.assignment_id and later.user_id = gone.user_id and later.period > gone.period
    and later.state in ('done', 'exempt', 'recognised'))`

/**
 * Number of periods that the person has missed since the last one that was done, exempt or recognised; 0 for an
 * occurrence that is not open
 */
export const MISSED = sql<number>`case when state in ('open', 'in_progress') then (
  select count(*)::integer from occurrences as gone
  where gone.assignment_id = occurrences.assignment_id and gone.user_id = occurrences.user_id and ${IS_NOT_MADE_UP}
) else 0 end`
