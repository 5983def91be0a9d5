import { type Kysely, sql } from 'kysely'
import { isAuditor } from '../../../src/domain/accounts/auditor.js'
import type { Database } from '../../types.js'
import type { AccountWithState } from './users.js'

// Raw SQL: `OVERSIGHT` is shared with statements that are raw for other reasons.

/** Roles that decide which pages the web app offers to a user; requests are authorised separately. */
export interface Roles {
  /** Whether the user may create sources */
  author: boolean
  /** Whether the user is an administrator, or an author who may edit at least one source */
  editor: boolean
  /** Whether the user currently leads a team */
  lead: boolean
  /** Whether the user is responsible for an assignment that is not archived */
  responsible: boolean
  /** Whether the user has occurrences of assignments, open or not */
  tasks: boolean
  /** Whether the user is an auditor today */
  auditor: boolean
  /** Whether the user may create or oversee assignments */
  overseer: boolean
}

export interface OversightRoles {
  is_lead: boolean
  is_responsible: boolean
  has_tasks: boolean
}

/** Columns of `OversightRoles` for a row of `users` */
export const OVERSIGHT = sql`
  exists (select from team_members where user_id = users.id and role = 'lead' and until_on is null) as is_lead,
  exists (select from assignments where responsible_id = users.id and archived_at is null) as is_responsible,
  exists (select from occurrences where user_id = users.id) as has_tasks`

/** Returns the roles of a user on a day. Queries the oversight roles unless `user.oversight` holds them. */
export async function findRoles(
  db: Kysely<Database>,
  user: Pick<AccountWithState, 'id' | 'is_admin' | 'is_author' | 'is_auditor' | 'auditor_until'> & {
    oversight?: OversightRoles
  },
  today: string,
): Promise<Roles> {
  const { is_lead, is_responsible, has_tasks } = user.oversight ?? (await findOversightRoles(db, user.id))
  const auditor = isAuditor(user, today)
  return {
    author: user.is_admin || user.is_author,
    editor: user.is_admin || (user.is_author && (await editsSources(db, user.id))),
    lead: is_lead,
    responsible: is_responsible,
    tasks: has_tasks,
    auditor,
    // `is_author` is not checked: an author may give assignments only to teams that the author leads.
    overseer: user.is_admin || is_lead || is_responsible || auditor,
  }
}

async function findOversightRoles(db: Kysely<Database>, userId: number): Promise<OversightRoles> {
  const { rows } = await sql<OversightRoles>`select ${OVERSIGHT} from users where id = ${userId}`.execute(db)
  return rows[0] ?? { is_lead: false, is_responsible: false, has_tasks: false }
}

async function editsSources(db: Kysely<Database>, userId: number): Promise<boolean> {
  const first = await db
    .selectFrom('source_editors')
    .select('source_id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return first !== undefined
}
