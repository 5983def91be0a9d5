import type { Kysely } from 'kysely'
import type { AuditLogTable, Database } from '../../types.js'

/** Who does something, and from where. */
export interface Actor {
  actor_id: number | null
  actor: string
  via: AuditLogTable['via']
  address: string | null
}

export type AuditAction =
  | 'user.create'
  | 'user.update'
  | 'user.delete'
  | 'user.password'
  | 'user.sessions'
  | 'user.tokens'
  | 'token.create'
  | 'token.delete'
  | 'content.import'
  | 'report.settle'
  | 'report.reopen'

export interface AuditEntry extends Actor {
  id: number
  at: Date
  action: string
  target_id: number | null
  target: string | null
  details: unknown
}

/** What was done, to whom. `details` never hold a secret. */
export interface AuditedDeed {
  action: AuditAction
  target_id?: number
  target?: string
  details?: object
}

/** To be called in the transaction of what it notes, so that neither exists without the other. */
export async function insertAuditEntry(db: Kysely<Database>, actor: Actor, deed: AuditedDeed): Promise<void> {
  const { details, ...rest } = deed
  await db
    .insertInto('audit_log')
    .values({ ...actor, ...rest, details: details === undefined ? null : JSON.stringify(details) })
    .execute()
}

/** The last entries, newest first. */
export async function listAuditEntries(db: Kysely<Database>, limit: number): Promise<AuditEntry[]> {
  return db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(limit).execute()
}
