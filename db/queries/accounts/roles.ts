import type { Kysely } from 'kysely'
import type { Database } from '../../types.js'
import { leadsTeam } from '../teams/members.js'
import type { AccountWithState } from './users.js'

/** What the pages of the web app offer to a user; each request is authorized by itself. */
export interface Roles {
  /** May create sources */
  author: boolean
  /** May edit at least one source */
  editor: boolean
  /** Leads a team */
  lead: boolean
  /** Is responsible for an assignment */
  responsible: boolean
}

/**
 * Returns the roles of a user. Whether administrators and users who are no authors edit a source needs no query.
 * @param user is_lead: whether the user leads a team; queried if absent
 */
export async function findRoles(
  db: Kysely<Database>,
  user: Pick<AccountWithState, 'id' | 'is_admin' | 'is_author'> & { is_lead?: boolean },
): Promise<Roles> {
  return {
    author: user.is_admin || user.is_author,
    editor: user.is_admin || (user.is_author && (await editsSources(db, user.id))),
    lead: user.is_lead ?? (await leadsTeam(db, user.id)),
    responsible: false,
  }
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
