import { type Kysely, sql } from 'kysely'

/**
 * Creates positions of cards and answers, so that a quiz can draw by position instead of sorting at random. The live
 * cards of each deck have the positions 0 to card_count - 1; the distinct answers of live cards in live decks have the
 * positions 0 to total - 1. Triggers maintain the positions. They lock one row, which serialises the writers of cards,
 * so that positions stay dense and writers do not deadlock.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTables(db)
  await serializeWriters(db)
  await keepCardPositions(db)
  await keepDistinctAnswers(db)
  await watchCards(db)
  await watchDecks(db)
  await createSampling(db)
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table card_positions (
      deck_id integer not null,
      position integer not null,
      card_id integer not null,
      constraint card_positions_pkey primary key (deck_id, position),
      constraint card_positions_card_id_key unique (card_id)
    )`.execute(db)
  // option_text is the start of the answer, one character longer than a quiz shows, so that the quiz can tell whether
  // it must shorten the answer.
  await sql`
    create table distinct_answers (
      answer_hash bytea not null,
      position integer not null,
      card_count integer not null,
      option_text text not null,
      constraint distinct_answers_pkey primary key (answer_hash),
      constraint distinct_answers_position_key unique (position),
      constraint distinct_answers_card_count_check check (card_count > 0)
    )`.execute(db)
  await sql`
    create table distinct_answer_totals (
      id boolean not null default true,
      total integer not null default 0,
      constraint distinct_answer_totals_pkey primary key (id),
      constraint distinct_answer_totals_id_check check (id)
    )`.execute(db)
  await sql`insert into distinct_answer_totals default values`.execute(db)
}

/**
 * Creates the triggers that serialise writers. They fire before the statement locks any deck, so that a waiting
 * statement has locked no deck that another writer needs.
 */
async function serializeWriters(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function wait_for_card_writers() returns trigger language plpgsql set search_path from current as $$
    begin
      perform from distinct_answer_totals for update;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger cards_take_turns
      before insert or delete or update of id, deck_id, answer, archived_at on cards
      for each statement execute function wait_for_card_writers()`.execute(db)
  await sql`
    create trigger decks_take_turns before delete or update of archived_at on decks
      for each statement execute function wait_for_card_writers()`.execute(db)
}

async function keepCardPositions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function add_card_positions(card_ids integer[], deck_ids integer[]) returns void language plpgsql set search_path from current as $$
    begin
      with grown as materialized (
        select deck_id,
          coalesce((select max(position) + 1 from card_positions where deck_id = deck.deck_id), 0) as first
        from (select distinct deck_id from unnest(deck_ids) as deck_id) as deck
      )
      insert into card_positions (deck_id, position, card_id)
        select deck_id, first + row_number() over (partition by deck_id) - 1, card_id
        from unnest(card_ids, deck_ids) as added (card_id, deck_id) join grown using (deck_id);
    end $$`.execute(db)
  // The last cards of a deck move into the free positions before them. There are as many such cards as free positions,
  // so two arrays pair them by index.
  await sql`
    create function remove_card_positions(card_ids integer[]) returns void language plpgsql set search_path from current as $$
    declare
      gone_decks integer[];
      gone_positions integer[];
      deck record;
      holes integer[];
      movers integer[];
    begin
      with gone as (delete from card_positions where card_id = any (card_ids) returning deck_id, position)
        select array_agg(deck_id), array_agg(position) into gone_decks, gone_positions from gone;
      for deck in
        select deck_id, array_agg(position) as positions, greatest(
            max(position), (select max(position) from card_positions where card_positions.deck_id = gone.deck_id)
          ) + 1 - count(*) as size
        from unnest(gone_decks, gone_positions) as gone (deck_id, position) group by deck_id
      loop
        select array_agg(position) into holes from unnest(deck.positions) as position where position < deck.size;
        continue when holes is null;
        select array_agg(card_id) into movers
          from card_positions where deck_id = deck.deck_id and position >= deck.size;
        update card_positions set position = hole
          from unnest(holes, movers) as pair (hole, mover)
          where card_id = mover;
      end loop;
    end $$`.execute(db)
}

async function keepDistinctAnswers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function hash_answer(answer text) returns bytea immutable parallel safe language sql
      return sha256(convert_to(answer, 'UTF8'))`.execute(db)
  // In the arguments, each hash must occur only once, and no difference may be 0. If a difference is positive, its card
  // must have the answer. New answers take the positions of deleted answers. Then either the remaining new answers are
  // appended, or the last answers move into the remaining free positions. Without the settings of the function,
  // PostgreSQL would reuse a generic plan made for an empty table: archiving 300 of 60,000 cards one by one took 6.1 s
  // instead of 0.7 s.
  await sql`
    create function count_answers(hashes bytea[], differences bigint[], card_ids integer[]) returns void language plpgsql set search_path from current
      set plan_cache_mode = force_custom_plan set enable_hashjoin = off set enable_mergejoin = off as $$
    declare
      holes integer[];
      movers bytea[];
      added integer;
      before integer;
      size integer;
    begin
      with gone as (
        delete from distinct_answers using unnest(hashes, differences) as change (hash, difference)
          where answer_hash = hash and card_count + difference = 0
          returning position
      )
      select coalesce(array_agg(position order by position), '{}') into holes from gone;
      update distinct_answers set card_count = card_count + difference
        from unnest(hashes, differences) as change (hash, difference)
        where answer_hash = hash;
      select array_agg(hash), array_agg(difference), array_agg(card_id)
        into hashes, differences, card_ids
        from unnest(hashes, differences, card_ids) as change (hash, difference, card_id)
        where difference > 0 and not exists (select from distinct_answers where answer_hash = hash);
      added := coalesce(cardinality(hashes), 0);
      update distinct_answer_totals set total = total - cardinality(holes) + added
        returning total + cardinality(holes) - added into before;
      insert into distinct_answers (answer_hash, position, card_count, option_text)
        select hash, coalesce(holes[number], before + number - cardinality(holes) - 1), difference,
          (select left(answer, 121) from cards where id = card_id)
        from unnest(hashes, differences, card_ids) with ordinality as new (hash, difference, card_id, number);
      size := before - cardinality(holes) + added;
      select array_agg(position) into holes from unnest(holes[added + 1:]) as position where position < size;
      if holes is not null then
        select array_agg(answer_hash) into movers from distinct_answers where position >= size;
        update distinct_answers set position = hole
          from unnest(holes, movers) as pair (hole, mover)
          where answer_hash = mover;
      end if;
    end $$`.execute(db)
}

async function watchCards(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function place_inserted_cards() returns trigger language plpgsql set search_path from current as $$
    begin
      perform add_card_positions(array_agg(id), array_agg(deck_id))
        from new_cards where archived_at is null having count(*) > 0;
      perform count_answers(array_agg(hash), array_agg(number), array_agg(card_id)) from (
        select hash_answer(answer) as hash, count(*) as number, min(new_cards.id) as card_id
        from new_cards join decks on decks.id = deck_id
        where new_cards.archived_at is null and decks.archived_at is null
        group by hash
      ) as change having count(*) > 0;
      return null;
    end $$`.execute(db)
  await sql`
    create function place_deleted_cards() returns trigger language plpgsql set search_path from current as $$
    begin
      perform remove_card_positions(array_agg(id)) from old_cards where archived_at is null having count(*) > 0;
      perform count_answers(array_agg(hash), array_agg(-number), array_agg(card_id)) from (
        select hash_answer(answer) as hash, count(*) as number, min(old_cards.id) as card_id
        from old_cards join decks on decks.id = deck_id
        where old_cards.archived_at is null and decks.archived_at is null
        group by hash
      ) as change having count(*) > 0;
      return null;
    end $$`.execute(db)
  await sql`
    create function place_updated_cards() returns trigger language plpgsql set search_path from current as $$
    begin
      perform remove_card_positions(array_agg(id)) from (
        select id, deck_id from old_cards where archived_at is null
        except select id, deck_id from new_cards where archived_at is null
      ) as removed having count(*) > 0;
      perform add_card_positions(array_agg(id), array_agg(deck_id)) from (
        select id, deck_id from new_cards where archived_at is null
        except select id, deck_id from old_cards where archived_at is null
      ) as added having count(*) > 0;
      perform count_answers(array_agg(hash), array_agg(difference), array_agg(card_id)) from (
        select hash_answer(answer) as hash, sum(one) as difference, min(card_id) as card_id from (
          select id as card_id, deck_id, answer, 1 as one from new_cards where archived_at is null
          union all
          select null, deck_id, answer, -1 from old_cards where archived_at is null
        ) as change join decks on decks.id = deck_id
        where decks.archived_at is null
        group by hash having sum(one) <> 0
      ) as change having count(*) > 0;
      return null;
    end $$`.execute(db)
  // Uses `delete`, because `truncate` would deadlock with a concurrent draw that waits for this transaction.
  await sql`
    create function place_truncated_cards() returns trigger language plpgsql set search_path from current as $$
    begin
      delete from card_positions;
      delete from distinct_answers;
      update distinct_answer_totals set total = 0;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger cards_place_insert after insert on cards
      referencing new table as new_cards
      for each statement execute function place_inserted_cards()`.execute(db)
  await sql`
    create trigger cards_place_delete after delete on cards
      referencing old table as old_cards
      for each statement execute function place_deleted_cards()`.execute(db)
  await sql`
    create trigger cards_place_update after update on cards
      referencing old table as old_cards new table as new_cards
      for each statement execute function place_updated_cards()`.execute(db)
  await sql`
    create trigger cards_place_truncate after truncate on cards
      for each statement execute function place_truncated_cards()`.execute(db)
}

/**
 * Updates the counts of answers when a deck is archived, restored or deleted. The trigger for deletions fires before
 * the deck is deleted: afterwards the triggers on its cards do not find the deck and count nothing.
 */
async function watchDecks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function count_answers_of_deck() returns trigger language plpgsql set search_path from current as $$
    declare
      sign integer := case when tg_op = 'UPDATE' and new.archived_at is null then 1 else -1 end;
    begin
      perform count_answers(array_agg(hash), array_agg(number), array_agg(card_id)) from (
        select hash_answer(answer) as hash, sign * count(*) as number, min(id) as card_id
        from cards where deck_id = old.id and archived_at is null
        group by hash
      ) as change having count(*) > 0;
      return old;
    end $$`.execute(db)
  await sql`
    create trigger decks_count_answers_delete before delete on decks
      for each row when (old.archived_at is null)
      execute function count_answers_of_deck()`.execute(db)
  await sql`
    create trigger decks_count_answers_update after update on decks
      for each row when ((old.archived_at is null) <> (new.archived_at is null))
      execute function count_answers_of_deck()`.execute(db)
}

/**
 * Creates the function that draws positions by Robert Floyd's algorithm: every subset is equally likely, and no drawn
 * number is rejected (doi:10.1145/30401.315746).
 */
async function createSampling(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function sample_positions(total integer, size integer) returns integer[] language plpgsql as $$
    declare
      chosen integer[] := '{}';
      candidate integer;
    begin
      for highest in greatest(total - size, 0) .. total - 1 loop
        candidate := floor(random() * (highest + 1));
        chosen := chosen || case when candidate = any (chosen) then highest else candidate end;
      end loop;
      return chosen;
    end $$`.execute(db)
}
