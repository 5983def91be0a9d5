import { type Kysely, sql } from 'kysely'
import type { SetupStep } from '../../src/domain/setup.js'
import type { Database } from '../types.js'

// Raw SQL, because the rows are boolean expressions of several tables in one statement.

/** Steps of the setup whose state is in the database */
export type StoredSteps = Record<Exclude<SetupStep, 'company' | 'mail' | 'time_zone' | 'public_url'>, boolean>

/**
 * Returns which steps are done. The first password is done when the administrator has changed it, or can log in without
 * one. Content of the folder, which the service brings, counts once an assignment uses it.
 */
export async function findStoredSteps(db: Kysely<Database>, userId: number): Promise<StoredSteps> {
  const { rows } = await sql<StoredSteps>`
    select
      exists (select from audit_log where action = 'user.password' and actor_id = ${userId})
        or exists (select from passkeys where user_id = ${userId})
        or exists (select from identities where user_id = ${userId}) as password,
      exists (select from users where id <> ${userId}) as people,
      exists (select from teams) as teams,
      exists (select from content_sources)
        or exists (select from assignment_parts where kind <> 'personal') as content,
      exists (select from assignments) as assignment,
      exists (select from setup_steps where id = 'backup' and done) as backup`.execute(db)
  return rows[0] as StoredSteps
}

export async function listDismissedSteps(db: Kysely<Database>): Promise<Set<string>> {
  const rows = await db.selectFrom('setup_steps').select('id').where('dismissed', '=', true).execute()
  return new Set(rows.map(({ id }) => id))
}

/** Stores whether the step is dismissed, or that a step without another trace is done. */
export async function setStep(
  db: Kysely<Database>,
  id: SetupStep,
  state: { dismissed: boolean } | { done: true },
): Promise<void> {
  await db
    .insertInto('setup_steps')
    .values({ id, ...state })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(state))
    .execute()
}
