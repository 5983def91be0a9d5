import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { CARD_PARTS, type CardTexts } from '../../../src/domain/content/card-texts.js'
import type { GroupKind } from '../../../src/domain/content/translations.js'
import type { Database } from '../../types.js'
import { liveVersion } from './editing/state.js'

// Raw SQL: expressions serve the statements of several tables, and former texts come from the latest of many versions.

/**
 * Selects the id of the card of a variant that has the key of an original's card.
 * @param key expression for the key
 */
function pairOf(variant: RawBuilder<unknown>, key: RawBuilder<unknown>) {
  return sql<number | null>`(
    select own.id from imported_cards as own_marks join cards as own on own.id = own_marks.card_id
    where own_marks.deck_id = ${variant} and own_marks.key = ${key} and own.deck_id = ${variant}
      and (own.archived_at is null or (own_marks.draft and not own_marks.draft_archived)))`
}

/**
 * The cards of an original that differ from those that the variant was checked against, as `from … where …`. A removed
 * card counts only while the variant still has a card with its key.
 * @param variant, original ids of the decks
 */
function changedCards(variant: RawBuilder<unknown>, original: RawBuilder<unknown>) {
  return sql`
    from (
      select card_id as id from checked_cards where deck_id = ${variant}
      union
      select id from cards where deck_id = ${original} and archived_at is null
    ) as named
    join cards using (id)
    left join imported_cards on imported_cards.card_id = cards.id
    left join checked_cards as checked on checked.deck_id = ${variant} and checked.card_id = cards.id
    where case
      when cards.deck_id = ${original} and cards.archived_at is null
        then checked.version is distinct from ${liveVersion('cards')}
      else ${pairOf(variant, sql.ref('imported_cards.key'))} is not null
    end`
}

const TEXTS_OF_TEST = (definition: string) =>
  sql`(${sql.ref(definition)} ->> 'name', ${sql.ref(definition)} ->> 'description', ${sql.ref(definition)} ->> 'introduction')`

const VERSION_OF_SHEET = sql<number>`1 + coalesce((
  select max(version) from sheet_versions where sheet_versions.cheatsheet_id = imported_cheatsheets.translation_of
), 0)`

const OUTDATED: Record<GroupKind, RawBuilder<boolean>> = {
  deck: sql<boolean>`(imported_decks.translation_of is not null and (
    exists (
      select from decks as original
      where original.id = imported_decks.translation_of and (original.name, original.description)
        is distinct from (imported_decks.checked_name, imported_decks.checked_description)
    )
    or exists (select ${changedCards(sql.ref('imported_decks.deck_id'), sql.ref('imported_decks.translation_of'))})
  ))`,
  sheet: sql<boolean>`(imported_cheatsheets.translation_of is not null
    and imported_cheatsheets.checked_version is distinct from ${VERSION_OF_SHEET})`,
  test: sql<boolean>`exists (
    select from tests as original
    join test_versions as present
      on present.test_id = original.id and present.version = original.published_version
    join test_versions as checked
      on checked.test_id = original.id and checked.version = coalesce(tests.checked_version, 1)
    where original.id = tests.translation_of
      and ${TEXTS_OF_TEST('present.definition')} is distinct from ${TEXTS_OF_TEST('checked.definition')})`,
}

/**
 * Builds the condition that the original of a variant has changed since the variant was checked; false for an original.
 * The statement must have the table of the items, joined with its marks. The questions of tests are cards of decks, so a
 * test compares only its own texts.
 */
export function isOutdated(kind: GroupKind): RawBuilder<boolean> {
  return sql<boolean>`coalesce(${OUTDATED[kind]}, false)`
}

/** Notes that variants fit their originals as they are now. Items that are no variants stay unchanged. */
export async function markChecked(
  transaction: Transaction<Database>,
  kind: GroupKind,
  slugs: readonly string[],
): Promise<void> {
  if (slugs.length === 0) return
  if (kind === 'deck') {
    await sql`
      delete from checked_cards using decks
      where decks.id = checked_cards.deck_id and decks.slug = any (${slugs}::text[])`.execute(transaction)
    await sql`
      insert into checked_cards (deck_id, card_id, version)
      select imported_decks.deck_id, cards.id, ${liveVersion('cards')}
      from decks join imported_decks on imported_decks.deck_id = decks.id
      join cards on cards.deck_id = imported_decks.translation_of
      where decks.slug = any (${slugs}::text[]) and cards.archived_at is null`.execute(transaction)
    await markHeadsChecked(transaction, slugs)
  } else if (kind === 'sheet') {
    await sql`
      update imported_cheatsheets set checked_version = ${VERSION_OF_SHEET}
      from cheatsheets
      where cheatsheets.id = cheatsheet_id and slug = any (${slugs}::text[]) and translation_of is not null`.execute(
      transaction,
    )
  } else {
    await sql`
      update tests set checked_version = original.published_version
      from tests as original
      where original.id = tests.translation_of and tests.slug = any (${slugs}::text[])`.execute(transaction)
  }
}

/** Notes that names and descriptions of decks that are variants fit those of their originals. */
export async function markHeadsChecked(transaction: Transaction<Database>, slugs: readonly string[]): Promise<void> {
  if (slugs.length === 0) return
  await sql`
    update imported_decks set checked_name = original.name, checked_description = original.description
    from decks, decks as original
    where decks.id = deck_id and decks.slug = any (${slugs}::text[]) and original.id = translation_of`.execute(
    transaction,
  )
}

/** Returns the slugs of the decks that are variants and whose name or description differs from the given one. */
export async function findOtherHeads(
  transaction: Transaction<Database>,
  decks: readonly { id: number; deck: { slug: string; name: string; description: string } }[],
): Promise<string[]> {
  if (decks.length === 0) return []
  const { rows } = await sql<{ slug: string }>`
    select input.slug
    from unnest(
      ${decks.map(({ id }) => id)}::integer[], ${decks.map(({ deck }) => deck.slug)}::text[],
      ${decks.map(({ deck }) => deck.name)}::text[], ${decks.map(({ deck }) => deck.description)}::text[]
    ) as input (id, slug, name, description)
    join decks on decks.id = input.id
    join imported_decks on deck_id = decks.id
    where translation_of is not null and (decks.name, decks.description) <> (input.name, input.description)`.execute(
    transaction,
  )
  return rows.map(({ slug }) => slug)
}

/**
 * Notes that what the transaction has written to variants fits their originals: the cards of the decks with a new text,
 * and the sheets with one. Rows that the transaction writes have its start time as their time.
 */
export async function markWrittenChecked(transaction: Transaction<Database>): Promise<void> {
  const variants = await transaction
    .selectFrom('imported_decks')
    .select('deck_id')
    .where('translation_of', 'is not', null)
    .execute()
  if (variants.length > 0)
    await markWrittenCards(
      transaction,
      variants.map(({ deck_id }) => deck_id),
    )
  await sql`
    update imported_cheatsheets set checked_version = ${VERSION_OF_SHEET}
    where translation_of is not null and exists (
      select from sheet_versions
      where sheet_versions.cheatsheet_id = imported_cheatsheets.cheatsheet_id and superseded_at = now()
    )`.execute(transaction)
}

async function markWrittenCards(transaction: Transaction<Database>, variants: readonly number[]): Promise<void> {
  // The planner has no statistics of the rows that the import has just written, and would compare all cards of both decks.
  await sql`analyze imported_decks, imported_cards, cards`.execute(transaction)
  await sql`
    insert into checked_cards (deck_id, card_id, version)
    select imported_decks.deck_id, cards.id, ${liveVersion('cards')}
    from imported_decks
    join cards as own on own.deck_id = imported_decks.deck_id
    join imported_cards as own_marks on own_marks.card_id = own.id
    join imported_cards on imported_cards.key = own_marks.key and imported_cards.deck_id = imported_decks.translation_of
    join cards on cards.id = imported_cards.card_id and cards.deck_id = imported_decks.translation_of
    where imported_decks.deck_id = any (${variants}::integer[])
      and (own.archived_at is null or own_marks.draft) and cards.archived_at is null and (
        own.created_at = now()
        or exists (select from card_versions where card_id = own.id and superseded_at = now())
      )
    on conflict (deck_id, card_id) do update set version = excluded.version`.execute(transaction)
}

export interface OriginalState {
  slug: string
  lang: string
  title: string
  /** Number of a sheet or of the published version of a test, 0 if there is none; a digest of a deck and its cards */
  version: string
  outdated: boolean
  /** Texts by field when the variant was checked; empty if there were none */
  checked: Record<string, string | null>
  /** Texts by field now */
  present: Record<string, string | null>
}

const STATES: Record<GroupKind, (slug: string) => RawBuilder<OriginalState>> = {
  deck: (slug) => sql<OriginalState>`
    select original.slug, coalesce(original_marks.lang, 'de') as lang, original.name as title,
      left(encode(sha256(convert_to(concat_ws(E'\n', original.name, original.description, (
        select string_agg(concat_ws(' ', cards.id, ${liveVersion('cards')}), ',' order by cards.id)
        from cards where cards.deck_id = original.id and archived_at is null
      )), 'UTF8')), 'hex'), 16) as version,
      ${isOutdated('deck')} as outdated,
      json_build_object(
        'name', imported_decks.checked_name, 'description', imported_decks.checked_description
      ) as checked,
      json_build_object('name', original.name, 'description', original.description) as present
    from decks join imported_decks on imported_decks.deck_id = decks.id
    join decks as original on original.id = imported_decks.translation_of
    left join imported_decks as original_marks on original_marks.deck_id = original.id
    where decks.slug = ${slug}`,
  sheet: (slug) => sql<OriginalState>`
    select original.slug, coalesce(original_marks.lang, 'de') as lang, original.title, (${VERSION_OF_SHEET})::text as version,
      ${isOutdated('sheet')} as outdated,
      case when imported_cheatsheets.checked_version = ${VERSION_OF_SHEET} then ${textsOfSheet('original')}
        else coalesce((
          select ${textsOfSheet('former')} from sheet_versions as former
          where former.cheatsheet_id = original.id and former.version <= imported_cheatsheets.checked_version
          order by former.version desc limit 1
        ), '{}') end as checked,
      ${textsOfSheet('original')} as present
    from cheatsheets join imported_cheatsheets on imported_cheatsheets.cheatsheet_id = cheatsheets.id
    join cheatsheets as original on original.id = imported_cheatsheets.translation_of
    left join imported_cheatsheets as original_marks on original_marks.cheatsheet_id = original.id
    where cheatsheets.slug = ${slug}`,
  test: (slug) => sql<OriginalState>`
    select original.slug, original.lang, original.definition ->> 'name' as title,
      coalesce(original.published_version, 0)::text as version, ${isOutdated('test')} as outdated,
      coalesce(${textsOfTest('checked.definition')}, '{}') as checked,
      coalesce(${textsOfTest('present.definition')}, '{}') as present
    from tests join tests as original on original.id = tests.translation_of
    left join test_versions as present
      on present.test_id = original.id and present.version = original.published_version
    left join test_versions as checked
      on checked.test_id = original.id and checked.version = coalesce(tests.checked_version, 1)
    where tests.slug = ${slug}`,
}

function textsOfSheet(table: string) {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql`json_build_object(
    'title', ${column('title')}, 'category', ${column('category')}, 'content_md', ${column('content_md')})`
}

function textsOfTest(definition: string) {
  const text = (name: string) => sql`${sql.ref(definition)} ->> ${sql.lit(name)}`
  return sql`json_build_object(
    'name', ${text('name')}, 'description', ${text('description')}, 'introduction', ${text('introduction')})`
}

/** Returns the original of a variant with the texts to compare; undefined if the item is no variant. */
export async function findOriginalState(
  db: Kysely<Database>,
  kind: GroupKind,
  slug: string,
): Promise<OriginalState | undefined> {
  const { rows } = await STATES[kind](slug).execute(db)
  return rows[0]
}

/** A card of an original that differs from the one that the variant was checked against. */
export interface ChangedOriginalCard {
  id: number
  /** Id of the card with the same key in the variant; null if it has none */
  variant_card_id: number | null
  change: 'added' | 'changed' | 'removed'
  /** Null for an added card */
  before: CardTexts | null
  /** Null for a removed card */
  after: CardTexts | null
}

/**
 * Returns the first changed cards of the original of a deck, in the order of the original, and the number of all. A
 * former text that is no longer stored is replaced by the latest one before it.
 */
export async function listChangedCards(
  db: Kysely<Database>,
  slug: string,
  limit: number,
): Promise<{ cards: ChangedOriginalCard[]; total: number }> {
  const [variant, original] = [sql.ref('variants.deck_id'), sql.ref('variants.translation_of')]
  const { rows } = await sql<ChangedOriginalCard & { total: number }>`
    select changed.id, variant_card_id, change, total,
      case change when 'changed' then ${textsOfCard('former')} when 'removed' then ${textsOfCard('cards')} end as before,
      case when change <> 'removed' then ${textsOfCard('cards')} end as after
    from decks join imported_decks as variants on variants.deck_id = decks.id
    cross join lateral (
      select cards.id, cards.sort_order, checked.version as checked_version, count(*) over ()::integer as total,
        ${pairOf(variant, sql.ref('imported_cards.key'))} as variant_card_id,
        case
          when cards.deck_id <> ${original} or cards.archived_at is not null then 'removed'
          when checked.version is null then 'added'
          else 'changed'
        end as change
      ${changedCards(variant, original)}
      order by cards.sort_order, cards.id limit ${limit}
    ) as changed
    join cards on cards.id = changed.id
    left join lateral (
      select * from card_versions
      where card_id = cards.id and card_versions.version <= checked_version
      order by card_versions.version desc limit 1
    ) as former on true
    where decks.slug = ${slug} and variants.translation_of is not null
    order by changed.sort_order, changed.id`.execute(db)
  return { cards: rows.map(({ total: _, ...card }) => card), total: rows[0]?.total ?? 0 }
}

function textsOfCard(table: string) {
  const texts = CARD_PARTS.map((name) => sql`${sql.lit(name)}, ${sql.ref(`${table}.${name}`)}`)
  return sql`json_build_object(${sql.join(texts)})`
}
