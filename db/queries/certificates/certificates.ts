import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'
import { insertProofEvents } from '../webhooks/announce.js'

// Raw SQL: the days are computed by arithmetic on dates in CTEs that update what they read.

export type Certificate = Selectable<Database['proofs']>

/** @param before only certificates with a lower id */
export async function listOwnCertificates(
  db: Kysely<Database>,
  userId: number,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<Certificate[]> {
  return db
    .selectFrom('proofs')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(before !== undefined, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function findCertificate(db: Kysely<Database>, code: string): Promise<Certificate | undefined> {
  return db.selectFrom('proofs').selectAll().where('code', '=', code).executeTakeFirst()
}

export async function lockCertificate(
  transaction: Transaction<Database>,
  code: string,
): Promise<Certificate | undefined> {
  return transaction.selectFrom('proofs').selectAll().where('code', '=', code).forUpdate().executeTakeFirst()
}

/** Revokes a certificate and writes the event. */
export async function revokeCertificate(
  transaction: Transaction<Database>,
  id: number,
  { at, reason }: { at: Date; reason: string },
): Promise<void> {
  await sql`
    with revoked as (
      update proofs set revoked_at = ${at}, revocation = ${reason} where id = ${id}
      returning id, code, user_id, assignment_id, occurrence_id, snapshot, completed_on, valid_until
    )
    ${insertProofEvents('proof.revoked', 'revoked', at)}`.execute(transaction)
}

/**
 * Stores the code `by` of the certificate that replaces the certificate `id`. Must be called before the new certificate
 * is inserted, because an occurrence can have only one certificate that is not replaced.
 */
export async function markReplaced(transaction: Transaction<Database>, id: number, by: string): Promise<void> {
  await transaction.updateTable('proofs').set({ replaced_by: by }).where('id', '=', id).execute()
}

/** `username` is null if the account was deleted. */
export type ExportedCertificate = Certificate & { username: string | null }

/** @param after only certificates with a higher id */
export async function listCertificates(
  db: Kysely<Database>,
  after: number,
  limit: number,
): Promise<ExportedCertificate[]> {
  return db
    .selectFrom('proofs')
    .leftJoin('users', 'users.id', 'user_id')
    .selectAll('proofs')
    .select('username')
    .where('proofs.id', '>', after)
    .orderBy('proofs.id')
    .limit(limit)
    .execute()
}

/**
 * Sets the last day of the retention of certificates. The retention begins when the person completes a later occurrence
 * of the same assignment, or when the account is disabled or deleted. Clears the day if a deactivation is undone or the
 * certificate of the later occurrence is revoked.
 * @returns the last id of the batch; undefined if no certificate is left
 */
export async function setDeletionDays(
  db: Kysely<Database>,
  { after, limit, today }: { after: number; limit: number; today: string },
): Promise<number | undefined> {
  const { rows } = await sql<{ last: number | null }>`
    with batch as (
      select id, delete_after, retention_years, (
          select min(later.completed_on) from proofs as later
          where later.user_id = proofs.user_id and later.assignment_id = proofs.assignment_id
            and later.occurrence_id <> proofs.occurrence_id and later.completed_on > proofs.completed_on
            and later.revoked_at is null
        ) as next_on,
        (select disabled_on from users where users.id = user_id and disabled_on <= ${today}::date) as left_on,
        not exists (select from users where users.id = user_id) as is_deleted
      from proofs where id > ${after} order by id limit ${limit}
    ), computed as (
      select id, delete_after, (case
          when least(next_on, left_on) is not null then least(next_on, left_on) + make_interval(years => retention_years)
          -- The day on which an account was deleted is not stored; the first run after it counts.
          when is_deleted then coalesce(delete_after, ${today}::date + make_interval(years => retention_years))
        end)::date as wanted
      from batch
    ), changed as (
      update proofs set delete_after = wanted from computed
      where proofs.id = computed.id and computed.delete_after is distinct from wanted
    )
    select max(id) as last from batch`.execute(db)
  return rows[0]?.last ?? undefined
}

/**
 * Deletes at most `limit` certificates whose retention is over, and returns their number. Their occurrences get no
 * certificate again.
 */
export async function deleteOldCertificates(db: Kysely<Database>, today: string, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with old as (
      select id from proofs where delete_after < ${today}::date order by id limit ${limit} for update skip locked
    ), deleted as (
      delete from proofs using old where proofs.id = old.id returning occurrence_id
    ), marked as (
      update occurrences set proof_deleted_on = ${today}::date from deleted where occurrences.id = occurrence_id
    )
    select count(*)::integer as count from deleted`.execute(db)
  return rows[0]?.count ?? 0
}
