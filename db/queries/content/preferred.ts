import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Learner } from '../../../src/domain/content/learner.js'
import type { GroupKind } from '../../../src/domain/content/translations.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { IS_LIVE_TEST } from './visibility.js'

// Raw SQL: the same statements serve three pairs of tables, and parts of them belong to the statements of reviews.

/** As in `translations.ts`; `isShown` is whether learners see the item, `chosen` its column in `chosen_languages`. */
const TABLES = {
  deck: {
    items: 'decks',
    marks: 'imported_decks',
    key: 'deck_id',
    chosen: 'deck_id',
    isShown: sql`decks.archived_at is null`,
    // A variant whose cards are all drafts would take the cards of the original from learners.
    isComplete: sql`(imported_decks.translation_of is null or decks.card_count > 0)`,
  },
  sheet: {
    items: 'cheatsheets',
    marks: 'imported_cheatsheets',
    key: 'cheatsheet_id',
    chosen: 'cheatsheet_id',
    isShown: sql`cheatsheets.archived_at is null`,
    isComplete: sql`true`,
  },
  test: {
    items: 'tests',
    marks: 'tests',
    key: 'id',
    chosen: 'test_id',
    isShown: sql`${IS_LIVE_TEST} and tests.published_version is not null`,
    isComplete: sql`true`,
  },
} as const

/** A learner as parts of a statement */
interface LearnerColumns {
  userId: RawBuilder<unknown>
  languages: RawBuilder<unknown>
}

export function learnerColumns({ userId, languages }: Learner): LearnerColumns {
  // A statement with an array as a value would not be prepared.
  return { userId: sql`${userId}::integer`, languages: sql`string_to_array(${languages.join().toLowerCase()}, ',')` }
}

/**
 * Builds a query for the items of all groups that learners see. `place` is 1 for the preferred variant, which
 * `pickVariant` would select if the language that the learner has chosen for the group came before the learner's others.
 */
function rankedVariants(kind: GroupKind, { userId, languages }: LearnerColumns): RawBuilder<unknown> {
  const { items, marks, key, chosen, isShown, isComplete } = TABLES[kind]
  const lang = sql.ref(`${marks}.lang`)
  const id = sql.ref(`${marks}.${key}`)
  return sql`
    select ${id} as id, groups.id as group_id, row_number() over (
      partition by groups.id
      order by best.position, lower(${lang}) = best.tag desc, ${id} <> groups.id, ${lang}
    ) as place
    from (
      select original.id, array_prepend(lower(chosen_languages.lang), ${languages}) as wanted
      from (
        select distinct translation_of as id from ${sql.table(marks)} where translation_of is not null
      ) as original
      left join chosen_languages
        on chosen_languages.user_id = ${userId} and ${sql.ref(`chosen_languages.${chosen}`)} = original.id
    ) as groups
    join ${sql.table(marks)} on coalesce(${sql.ref(`${marks}.translation_of`)}, ${id}) = groups.id
    ${(items as string) === marks ? sql`` : sql`join ${sql.table(items)} on ${sql.ref(`${items}.id`)} = ${id}`}
    left join lateral (
      select tag, position from unnest(wanted) with ordinality as language (tag, position)
      where split_part(tag, '-', 1) = lower(split_part(${lang}, '-', 1))
      order by position limit 1
    ) as best on true
    where ${isShown} and ${isComplete}`
}

/** Builds a query for the ids of the items in a group in which another variant is preferred. */
function otherVariants(kind: GroupKind, learner: LearnerColumns): RawBuilder<unknown> {
  return sql`select id from (${rankedVariants(kind, learner)}) as ranked where place > 1`
}

/**
 * Builds CTEs `other_variants`, with the ids of the decks in a group in which another variant is preferred, and
 * `inactive` with the ids of the decks that the queue of all decks omits: the other variants, those that the learner has
 * deactivated, and offered ones that the learner has not activated. A group is activated as a whole, by its original.
 */
export function inactiveCtes(learner: LearnerColumns): RawBuilder<unknown> {
  const { userId } = learner
  return sql`
    other_variants as materialized (${otherVariants('deck', learner)}),
    switched_off as materialized (
      select deck_id from inactive_decks where user_id = ${userId}
      union all
      select deck_id from offered_decks
      where not exists (
        select from chosen_decks where user_id = ${userId} and chosen_decks.deck_id = offered_decks.deck_id
      )
    ),
    inactive as (
      select deck_id from switched_off
      where not exists (
        select from imported_decks where imported_decks.deck_id = switched_off.deck_id and translation_of is not null
      )
      union all
      select imported_decks.deck_id from switched_off join imported_decks on translation_of = switched_off.deck_id
      union all
      select id from other_variants
    )`
}

/** Returns the ids of the items in a group in which another variant is preferred. */
export async function listOtherVariants(db: Kysely<Database>, kind: GroupKind, learner: Learner): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from (${otherVariants(kind, learnerColumns(learner))}) as others`.execute(db)
  return rows.map(({ id }) => id)
}

/** Rank of an item within its group; the preferred variant has the smallest `place`. */
export interface VariantRank {
  id: number
  group_id: number
  place: number
}

/** Returns the items of all groups that learners see. */
export async function rankVariants(db: Kysely<Database>, kind: GroupKind, learner: Learner): Promise<VariantRank[]> {
  const { rows } = await sql<VariantRank>`
    select id, group_id, place::integer from (${rankedVariants(kind, learnerColumns(learner))}) as ranked`.execute(db)
  return rows
}

/** A variant that learners see, with the slug of its original */
export interface ShownVariant {
  slug: string
  lang: string
  original: string
  place: number
}

/** Returns the variants in the group of an item by rank; empty if learners do not see the item or it has no variant. */
export async function findShownGroup(
  db: Kysely<Database>,
  kind: GroupKind,
  slug: string,
  learner: Learner,
): Promise<ShownVariant[]> {
  if (!isStorable(slug)) return []
  const { items, marks, key } = TABLES[kind]
  const { rows } = await sql<ShownVariant>`
    with ranked as (
      select ranked.*, count(*) over (partition by group_id) as size
      from (${rankedVariants(kind, learnerColumns(learner))}) as ranked
    )
    select item.slug, marks.lang, original.slug as original, place::integer
    from ranked
    join ${sql.table(items)} as item on item.id = ranked.id
    join ${sql.table(marks)} as marks on ${sql.ref(`marks.${key}`)} = ranked.id
    join ${sql.table(items)} as original on original.id = ranked.group_id
    where size > 1 and group_id in (
      select group_id from ranked as own join ${sql.table(items)} as named on named.id = own.id
      where named.slug = ${slug}
    )
    order by place`.execute(db)
  return rows
}

/** Returns whether learners see the item. */
export async function isShown(db: Kysely<Database>, kind: GroupKind, slug: string): Promise<boolean> {
  if (!isStorable(slug)) return false
  const { items, isShown } = TABLES[kind]
  const { rows } = await sql`
    select from ${sql.table(items)} where ${sql.ref(`${items}.slug`)} = ${slug} and ${isShown}`.execute(db)
  return rows.length > 0
}

/** Stores the language in which the user wants the group of the original, or deletes the choice if it is null. */
export async function storeLanguage(
  db: Kysely<Database>,
  kind: GroupKind,
  userId: number,
  original: string,
  lang: string | null,
): Promise<void> {
  const { items, chosen } = TABLES[kind]
  const column = sql.ref(chosen)
  if (lang === null) {
    await sql`
      delete from chosen_languages
      where user_id = ${userId} and ${column} = (select id from ${sql.table(items)} where slug = ${original})`.execute(
      db,
    )
    return
  }
  await sql`
    insert into chosen_languages (user_id, ${column}, lang)
    select ${userId}::integer, id, ${lang}::text from ${sql.table(items)} where slug = ${original} for key share
    on conflict (user_id, ${column}) do update set lang = excluded.lang`.execute(db)
}

export interface SheetLanguage {
  slug: string
  lang: string
  /** Slug of the original; null unless the sheet is a variant */
  translation_of: string | null
  /** Whether lists show the sheet to the learner */
  preferred: boolean
}

/** Returns the live sheets that are in a group or not in German. */
export async function listSheetLanguages(db: Kysely<Database>, learner: Learner): Promise<SheetLanguage[]> {
  const { rows } = await sql<SheetLanguage>`
    with ranked as (${rankedVariants('sheet', learnerColumns(learner))})
    select cheatsheets.slug, marks.lang, original.slug as translation_of, coalesce(place = 1, true) as preferred
    from imported_cheatsheets as marks
    join cheatsheets on cheatsheets.id = marks.cheatsheet_id and cheatsheets.archived_at is null
    left join ranked on ranked.id = cheatsheets.id
    left join cheatsheets as original on original.id = marks.translation_of and original.archived_at is null
    where ranked.id is not null or marks.lang <> 'de'
    order by cheatsheets.slug`.execute(db)
  return rows
}
