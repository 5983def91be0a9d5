import { sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'

// Raw SQL: each statement finds the learners of several decks and writes a choice for all of them.

/**
 * Keeps what learners study when decks have become variants, because one variant of a group is active for a learner and
 * the group is activated by its original:
 * - A learner who studies one of these decks gets the group activated.
 * - A learner who has set no language keeps the variant with most of the own progress.
 * @param slugs decks that have joined a group; those that are no variants are ignored
 */
export async function keepStudiedDecks(transaction: Transaction<Database>, slugs: readonly string[]): Promise<void> {
  if (slugs.length === 0) return
  const joined = sql`
    select decks.id, translation_of as original_id from decks join imported_decks on deck_id = decks.id
    where slug = any (${slugs}::text[]) and translation_of is not null`
  await sql`
    with joined as (${joined}),
    studying as (
      select user_id, joined.id, original_id from card_progress join joined on card_progress.deck_id = joined.id
      union
      select user_id, joined.id, original_id from chosen_decks join joined on chosen_decks.deck_id = joined.id
    ),
    activated as (
      select distinct users.id as user_id, original_id
      from studying
      join users on users.id = studying.user_id
      where not exists (
        select from inactive_decks where inactive_decks.user_id = users.id and inactive_decks.deck_id = studying.id
      ) and (
        exists (
          select from chosen_decks where chosen_decks.user_id = users.id and chosen_decks.deck_id = studying.id
        ) or not exists (select from offered_decks where offered_decks.deck_id = studying.id)
      )
    ),
    removed as (
      delete from inactive_decks using activated
      where inactive_decks.user_id = activated.user_id and inactive_decks.deck_id = original_id
    )
    insert into chosen_decks (user_id, deck_id)
    select users.id, original_id
    from activated join offered_decks on deck_id = original_id join users on users.id = activated.user_id
    for key share of users
    on conflict do nothing`.execute(transaction)
  await sql`
    with joined as (${joined}),
    progress as (
      select user_id, original_id, lang, count(*) as cards
      from (select distinct original_id from joined) as groups
      join imported_decks on coalesce(translation_of, imported_decks.deck_id) = original_id
      join card_progress on card_progress.deck_id = imported_decks.deck_id and last_rating is not null
      group by user_id, original_id, lang
    ),
    most as (
      select distinct on (user_id, original_id) user_id, original_id, lang
      from progress order by user_id, original_id, cards desc, lang
    )
    insert into chosen_languages (user_id, deck_id, lang)
    select users.id, original_id, lang
    from most join users on users.id = user_id
    where language is null and language_used is distinct from lower(split_part(lang, '-', 1))
    for key share of users
    on conflict (user_id, deck_id) do nothing`.execute(transaction)
}
