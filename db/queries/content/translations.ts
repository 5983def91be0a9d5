import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import {
  type GroupKind,
  groupOf,
  type StoredGroupItem,
  type TranslationChange,
} from '../../../src/domain/content/translations.js'
import type { Database } from '../../types.js'
import { isOutdated } from './checked-translations.js'
import { IS_KEPT_DECK, IS_LIVE_TEST } from './visibility.js'

// Raw SQL: the same statements serve three pairs of tables, and rows come from arrays (`unnest`).

/** A variant as the original lists it. */
export interface ListedVariant {
  slug: string
  lang: string
  title: string
}

/** A variant as its editors see it. */
export interface EditedVariant extends ListedVariant {
  /** Whether the original has changed since the variant was checked */
  translation_outdated: boolean
}

/**
 * `items` has the slugs; `marks`, which may be the same table, has the language and the original of the item `key`.
 * `part` is the column of `assignment_parts`.
 */
const TABLES = {
  deck: {
    items: 'decks',
    marks: 'imported_decks',
    key: 'deck_id',
    part: 'deck_id',
    title: sql`decks.name`,
    isLive: IS_KEPT_DECK,
    isPool: sql<boolean>`coalesce(imported_decks.tests_only, false)`,
  },
  sheet: {
    items: 'cheatsheets',
    marks: 'imported_cheatsheets',
    key: 'cheatsheet_id',
    part: 'cheatsheet_id',
    title: sql`cheatsheets.title`,
    isLive: sql<boolean>`(case when draft then not draft_archived else cheatsheets.archived_at is null end)`,
    isPool: sql.lit(false),
  },
  test: {
    items: 'tests',
    marks: 'tests',
    key: 'id',
    part: 'test_id',
    title: sql`tests.definition ->> 'name'`,
    isLive: sql<boolean>`tests.archived_at is null`,
    isPool: sql.lit(false),
  },
}

function joined(kind: GroupKind): RawBuilder<unknown> {
  const { items, marks, key } = TABLES[kind]
  if (items === marks) return sql.table(items)
  return sql`${sql.table(items)} left join ${sql.table(marks)} on ${sql.ref(`${marks}.${key}`)} = ${sql.ref(`${items}.id`)}`
}

function selectGroupItems(kind: GroupKind, condition: RawBuilder<unknown> = sql`true`) {
  const { items, marks, isLive, isPool } = TABLES[kind]
  return sql<StoredGroupItem>`
    select ${sql.ref(`${items}.id`)}, ${sql.ref(`${items}.slug`)}, coalesce(${sql.ref(`${marks}.lang`)}, 'de') as lang,
      original.slug as translation_of, ${sql.ref(`${marks}.source_id`)}, ${sql.ref(`${marks}.source_key`)},
      ${isLive} as "isLive", ${isPool} as tests_only
    from ${joined(kind)} left join ${sql.table(items)} as original on original.id = ${sql.ref(`${marks}.translation_of`)}
    where ${condition}
    order by ${sql.ref(`${items}.id`)}`
}

export async function listGroupItems(db: Kysely<Database>, kind: GroupKind): Promise<StoredGroupItem[]> {
  const { rows } = await selectGroupItems(kind).execute(db)
  return rows
}

/** Returns the items with the slugs and their variants, by id. */
export async function findGroupItems(
  db: Kysely<Database>,
  kind: GroupKind,
  slugs: readonly string[],
): Promise<StoredGroupItem[]> {
  const { items, marks, key } = TABLES[kind]
  const { rows } = await selectGroupItems(
    kind,
    sql`${sql.ref(`${items}.id`)} in (
      select id from ${sql.table(items)} where slug = any (${slugs}::text[])
      union
      select ${sql.ref(`variants.${key}`)} from ${sql.table(items)} as named
      join ${sql.table(marks)} as variants
        on coalesce(variants.translation_of, ${sql.ref(`variants.${key}`)}) = named.id
      where named.slug = any (${slugs}::text[])
    )`,
  ).execute(db)
  return rows
}

/** Returns the whole groups of the items with the slugs, by id. */
export async function findGroups(
  db: Kysely<Database>,
  kind: GroupKind,
  slugs: readonly string[],
): Promise<StoredGroupItem[]> {
  const named = await findGroupItems(db, kind, slugs)
  return findGroupItems(db, kind, [...new Set(named.map(groupOf))])
}

/** Learners get the texts of the published version, as on the page of the test. */
const PUBLISHED_NAME = sql`(
  select test_versions.definition ->> 'name' from test_versions
  where test_versions.test_id = tests.id and test_versions.version = tests.published_version)`

/**
 * The variants of an item as JSON, by language; the statement must have the table of the items.
 * @param options isLearner: only those that learners see; tests with their published names
 */
export function variantsOf(kind: GroupKind, options: { isLearner: true }): RawBuilder<ListedVariant[]>
export function variantsOf(kind: GroupKind): RawBuilder<EditedVariant[]>
export function variantsOf(kind: GroupKind, { isLearner = false } = {}): RawBuilder<ListedVariant[]> {
  const { items, marks, key, title: edited } = TABLES[kind]
  const title = isLearner && kind === 'test' ? PUBLISHED_NAME : edited
  const outdated = isLearner ? sql`` : sql`, 'translation_outdated', ${isOutdated(kind)}`
  const own = sql`select id as own_id from (select ${sql.ref(`${items}.id`)}) as own (id)`
  const isPublished = {
    deck: sql`decks.archived_at is null and decks.card_count > 0`,
    sheet: sql`cheatsheets.archived_at is null`,
    test: sql`${IS_LIVE_TEST} and tests.published_version is not null`,
  }[kind]
  const isShown = isLearner ? sql`and ${isPublished}` : sql``
  return sql<ListedVariant[]>`(
    select coalesce(json_agg(json_build_object(
        'slug', ${sql.ref(`${items}.slug`)}, 'lang', ${sql.ref(`${marks}.lang`)}, 'title', ${title} ${outdated}
      ) order by ${sql.ref(`${marks}.lang`)}), '[]')
    from (${own}) as original
    join ${sql.table(marks)} on ${sql.ref(`${marks}.translation_of`)} = own_id
    ${(items as string) === marks ? sql`` : sql`join ${sql.table(items)} on ${sql.ref(`${items}.id`)} = ${sql.ref(`${marks}.${key}`)}`}
    where true ${isShown})`
}

/**
 * The slug of the original; the statement must have the table of the items, joined with its marks.
 * @param options isVisible: whether the slug is null if the original is archived or, for a test, not published
 */
export function originalOf(kind: GroupKind, { isVisible = false }: { isVisible?: boolean } = {}) {
  const { items, marks } = TABLES[kind]
  return sql<string | null>`(
    select original.slug from ${sql.table(items)} as original
    where original.id = ${sql.ref(`${marks}.translation_of`)}
      ${isVisible ? sql`and original.archived_at is null` : sql``}
      ${isVisible && kind === 'test' ? sql`and original.published_version is not null` : sql``})`
}

/** Removes items from their groups, so that `joinGroups` can write new languages in any order. */
export async function leaveGroups(
  transaction: Transaction<Database>,
  kind: GroupKind,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return
  const { marks, key } = TABLES[kind]
  await sql`
    update ${sql.table(marks)} set translation_of = null
    where ${sql.ref(key)} = any (${ids}::integer[]) and translation_of is not null`.execute(transaction)
}

/**
 * Writes the languages and originals of items. Those that are stored must have left their groups before. Assignments of
 * an item that becomes a variant then name its original.
 */
export async function joinGroups(
  transaction: Transaction<Database>,
  kind: GroupKind,
  changes: readonly Pick<TranslationChange, 'slug' | 'lang' | 'translation_of'>[],
): Promise<void> {
  if (changes.length === 0) return
  const { items, marks, key } = TABLES[kind]
  const slugs = changes.map(({ slug }) => slug)
  await sql`
    update ${sql.table(marks)} as marks set lang = input.lang
    from unnest(${slugs}::text[], ${changes.map(({ lang }) => lang)}::text[]) as input (slug, lang)
    join ${sql.table(items)} as items on items.slug = input.slug
    where ${sql.ref(`marks.${key}`)} = items.id and marks.lang <> input.lang`.execute(transaction)
  await sql`
    update ${sql.table(marks)} as marks set translation_of = original.id
    from unnest(${slugs}::text[], ${changes.map(({ translation_of }) => translation_of)}::text[])
      as input (slug, translation_of)
    join ${sql.table(items)} as items on items.slug = input.slug
    join ${sql.table(items)} as original on original.slug = input.translation_of
    where ${sql.ref(`marks.${key}`)} = items.id`.execute(transaction)
  const variants = changes.filter(({ translation_of }) => translation_of !== null).map(({ slug }) => slug)
  await assignOriginals(transaction, kind, variants)
}

async function assignOriginals(
  transaction: Transaction<Database>,
  kind: GroupKind,
  slugs: readonly string[],
): Promise<void> {
  if (slugs.length === 0) return
  const { items, marks, key, part } = TABLES[kind]
  const renamed = sql`
    ${sql.table(items)} as items join ${sql.table(marks)} as marks on ${sql.ref(`marks.${key}`)} = items.id`
  const isNamed = sql`${sql.ref(`part.${part}`)} = items.id and items.slug = any (${slugs}::text[])
    and marks.translation_of is not null`
  await sql`
    update occurrence_parts as done set lang = marks.lang, content_id = items.id
    from occurrences join assignment_parts as part using (assignment_id), ${renamed}
    where occurrences.id = done.occurrence_id and part.position = done.position and done.content_id is null
      and ${isNamed}`.execute(transaction)
  await sql`
    update assignment_parts as part set ${sql.ref(part)} = marks.translation_of from ${renamed} where ${isNamed}`.execute(
    transaction,
  )
}
