import { type Selectable, sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'

export type DeckInput = Pick<Selectable<Database['decks']>, 'slug' | 'name' | 'description' | 'sort_order'> &
  Pick<Selectable<Database['imported_decks']>, 'options_off' | 'lang'> & { desired_retention: number | null }

/** Origin of a deck: a file relative to the content folder, or a source and the key of the deck within it. */
export interface DeckOrigin {
  file: string | null
  source_id: number | null
  source_key: string | null
}

export async function insertDecks(
  transaction: Transaction<Database>,
  decks: (DeckInput & DeckOrigin & { tests_only: boolean })[],
): Promise<Map<string, number>> {
  if (decks.length === 0) return new Map()
  const rows = await transaction
    .insertInto('decks')
    .columns(['slug', 'name', 'description', 'sort_order', 'archived_at'])
    .expression(
      sql`select slug, name, description, sort_order, case when tests_only then now() end
      from unnest(
        ${decks.map((deck) => deck.slug)}::text[], ${decks.map((deck) => deck.name)}::text[],
        ${decks.map((deck) => deck.description)}::text[], ${decks.map((deck) => deck.sort_order)}::integer[],
        ${decks.map((deck) => deck.tests_only)}::boolean[]
      ) as input (slug, name, description, sort_order, tests_only)`,
    )
    .returning(['id', 'slug'])
    .execute()
  const ids = new Map(rows.map(({ id, slug }) => [slug, id]))
  await sql`
    insert into imported_decks (deck_id, file, source_id, source_key, tests_only, options_off, lang)
    select * from unnest(
      ${decks.map(({ slug }) => ids.get(slug) as number)}::integer[], ${decks.map(({ file }) => file)}::text[],
      ${decks.map(({ source_id }) => source_id)}::integer[], ${decks.map(({ source_key }) => source_key)}::text[],
      ${decks.map(({ tests_only }) => tests_only)}::boolean[], ${decks.map(({ options_off }) => options_off)}::boolean[],
      ${decks.map(({ lang }) => lang)}::text[])`.execute(transaction)
  const usual = decks.filter(({ desired_retention }) => desired_retention !== null)
  if (usual.length > 0)
    await setDefaults(
      transaction,
      usual.map((deck) => ({ id: ids.get(deck.slug) as number, deck })),
    )
  return ids
}

/** Adds 1 to the version of decks; each change of their fields by the service must do so. */
export async function raiseDeckVersions(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into deck_versions (deck_id, version) select id, 2 from unnest(${ids}::integer[]) as id order by id
    on conflict (deck_id) do update set version = deck_versions.version + 1`.execute(transaction)
}

/** Updates decks and restores archived decks. Each deck must have a row in `imported_decks`. */
export async function updateDecks(
  transaction: Transaction<Database>,
  decks: { id: number; deck: DeckInput }[],
): Promise<void> {
  if (decks.length === 0) return
  const columnOf = <K extends keyof DeckInput>(key: K) => decks.map(({ deck }) => deck[key])
  await sql`
    update decks
    set slug = input.slug, name = input.name, description = input.description, sort_order = input.sort_order,
      archived_at = null
    from unnest(
      ${decks.map(({ id }) => id)}::integer[], ${columnOf('slug')}::text[], ${columnOf('name')}::text[],
      ${columnOf('description')}::text[], ${columnOf('sort_order')}::integer[]
    ) as input (id, slug, name, description, sort_order)
    where decks.id = input.id`.execute(transaction)
  await sql`
    update imported_decks set options_off = input.options_off, lang = input.lang, pool_archived = false
    from unnest(
      ${decks.map(({ id }) => id)}::integer[], ${columnOf('options_off')}::boolean[], ${columnOf('lang')}::text[]
    ) as input (id, options_off, lang)
    where deck_id = input.id`.execute(transaction)
  await setDefaults(transaction, decks)
  await raiseDeckVersions(
    transaction,
    decks.map(({ id }) => id),
  )
}

/** Sets or, with null, clears the author's desired retention of decks. */
export async function setDefaults(
  transaction: Transaction<Database>,
  decks: { id: number; deck: { desired_retention: number | null } }[],
): Promise<void> {
  await sql`
    with input as (
      select * from unnest(
        ${decks.map(({ id }) => id)}::integer[],
        ${decks.map(({ deck }) => deck.desired_retention)}::double precision[]
      ) as input (id, retention)
    ),
    cleared as (
      delete from deck_defaults where deck_id in (select id from input where retention is null)
    )
    insert into deck_defaults (deck_id, desired_retention)
    select id, retention from input where retention is not null
    on conflict (deck_id) do update set desired_retention = excluded.desired_retention`.execute(transaction)
}

/** Stores the file of each deck. Stores `tests_only` only for decks without a row in `imported_decks`. */
export async function markDecksAsImported(
  transaction: Transaction<Database>,
  decks: { id: number; file: string; tests_only: boolean }[],
): Promise<void> {
  if (decks.length === 0) return
  await sql`
    insert into imported_decks (deck_id, file, tests_only)
    select * from unnest(
      ${decks.map(({ id }) => id)}::integer[], ${decks.map(({ file }) => file)}::text[],
      ${decks.map(({ tests_only }) => tests_only)}::boolean[])
    on conflict (deck_id) do update set file = excluded.file`.execute(transaction)
}

/** Makes the decks inactive for each learner until the learner chooses them. */
export async function offerDecks(transaction: Transaction<Database>, slugs: string[]): Promise<void> {
  if (slugs.length === 0) return
  await sql`
    insert into offered_decks (deck_id) select id from decks where slug = any (${slugs}) on conflict do nothing
    `.execute(transaction)
}

/**
 * Archives decks. Also overwrites the `archived_at` of a pool, because the restoration of a source compares it with the
 * time when the source was archived.
 */
export async function archiveDecks(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const archived = await transaction
    .updateTable('decks')
    .set({ archived_at: sql<Date>`now()` })
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('archived_at', 'is', null),
        exists(
          selectFrom('imported_decks')
            .select('deck_id')
            .whereRef('deck_id', '=', 'decks.id')
            .where('tests_only', '=', true)
            .where('pool_archived', '=', false),
        ),
      ]),
    )
    .returning('id')
    .execute()
  await transaction
    .updateTable('imported_decks')
    .set({ pool_archived: true })
    .where('deck_id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where('tests_only', '=', true)
    .execute()
  await raiseDeckVersions(
    transaction,
    archived.map(({ id }) => id),
  )
}
