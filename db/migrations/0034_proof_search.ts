import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table proofs add column person_key text not null generated always as (
      fold_text((snapshot::jsonb ->> 'name') || E'\n' || coalesce(snapshot::jsonb ->> 'personnel_number', ''))) stored`.execute(
    db,
  )
  await sql`
    comment on column proofs.person_key is 'Name and personnel number on the proof, folded for the search'`.execute(db)
  // The search reads only this index until it has found a page.
  await sql`
    create index proofs_search_idx on proofs (id)
      include (person_key, user_id, assignment_id, completed_on, valid_until, revoked_at)
      where replaced_by is null`.execute(db)
  await sql`create index proofs_assignment_id_idx on proofs (assignment_id, id)`.execute(db)
  await sql`
    create index proofs_valid_until_idx on proofs (valid_until) where replaced_by is null and revoked_at is null`.execute(
    db,
  )
  await sql`create index audit_log_proof_views_idx on audit_log (actor_id, id) where action = 'proof.view'`.execute(db)
}
