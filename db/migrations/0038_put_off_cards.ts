import { type Kysely, sql } from 'kysely'

/** Keeps the due day that a review set while its card is put off, because the interval of the card derives from it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table card_progress add column put_off_from date`.execute(db)
  await sql`
    comment on column card_progress.put_off_from is
      'Due day that the latest review set, while the card is put off; null otherwise'`.execute(db)
  await sql`
    update card_progress as progress set put_off_from = first.due
    from (
      select distinct on (entry.user_id, entry.card_id) entry.user_id, entry.card_id,
        (entry.before ->> 'next_review')::date as due
      from review_log as entry join card_progress as state using (user_id, card_id)
      where entry.kind = 'tomorrow' and entry.phase is null and entry.before is not null
        and (entry.before ->> 'last_review_id')::bigint = state.last_review_id
        and not exists (
          select from review_log as undo where undo.user_id = entry.user_id and undo.undoes = entry.id
        )
      order by entry.user_id, entry.card_id, entry.id
    ) as first
    where first.user_id = progress.user_id and first.card_id = progress.card_id
      and first.due < progress.next_review`.execute(db)
}
