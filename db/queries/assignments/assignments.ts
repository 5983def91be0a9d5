import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction, type Updateable } from 'kysely'
import type { Audience, PartKind } from '../../../src/domain/assignments/assignment.js'
import { type OccurrenceState, OPEN_STATES } from '../../../src/domain/assignments/plan.js'
import type { Editable } from '../../../src/domain/content/editing/rights.js'
import type { ViewableTeams } from '../../../src/domain/teams/teams.js'
import type { Database } from '../../types.js'
import { type ListedVariant, originalOf, variantsOf } from '../content/translations.js'
import { findLiveTest } from '../tests/live-tests.js'

// Raw SQL: parts, teams and persons are JSON aggregates in subqueries, and the audience is written from arrays for two
// tables.

export type AssignmentRow = Selectable<Database['assignments']>

export interface StoredPart {
  kind: PartKind
  /** Null for a `personal` part, which has no content, or if the content was deleted */
  slug: string | null
  title: string
  share_percent: number | null
  /** Whether the content is neither archived nor deleted; true for a `personal` part, which has no content */
  available: boolean
}

export interface NamedPerson {
  id: number
  display_name: string
}

export interface StoredAssignment extends AssignmentRow {
  parts: StoredPart[]
  team_ids: number[]
  /**
   * Persons who were added individually; for a reader who is only a lead, only members of teams that the reader leads
   */
  user_ids: number[]
  teams: { id: number; name: string }[]
  responsible: NamedPerson | null
  /** First day on which the account of the responsible person is disabled; null if there is no such day */
  responsible_disabled_on: string | null
  /** Whether the reader may change the assignment; false without a reader */
  may_change: boolean
}

/** A part with what its person can choose from. */
export interface OwnPart extends StoredPart {
  /** Language of the original; null if there is no content */
  lang: string | null
  /** Language that the person has chosen for the content; null without a choice */
  chosen: string | null
  /** Variants that learners see, by language */
  variants: ListedVariant[]
}

/** Parts of a row of `assignments` as JSON, in order, with the current titles of the content */
export const PARTS = partsAs<StoredPart>(sql``)

/** The statement must have the table `occurrences`. */
export const OWN_PARTS = partsAs<OwnPart>(sql`,
      'chosen', (
        select lang from chosen_languages
        where chosen_languages.user_id = occurrences.user_id and (chosen_languages.cheatsheet_id = part.cheatsheet_id
          or chosen_languages.test_id = part.test_id or chosen_languages.deck_id = part.deck_id)
      ),
      'lang', case when coalesce(cheatsheets.id, tests.id, decks.id) is not null then coalesce((
          select lang from imported_cheatsheets where imported_cheatsheets.cheatsheet_id = part.cheatsheet_id
        ), tests.lang, (select lang from imported_decks where imported_decks.deck_id = part.deck_id), 'de') end,
      'variants', case kind
        when 'sheet' then ${variantsOf('sheet', { isLearner: true })}
        when 'test' then ${variantsOf('test', { isLearner: true })}
        when 'deck' then ${variantsOf('deck', { isLearner: true })}
        else '[]' end`)

function partsAs<Part>(more: RawBuilder<unknown>) {
  return sql<Part[]>`(
  select coalesce(json_agg(json_build_object(
      'kind', kind, 'slug', coalesce(cheatsheets.slug, tests.slug, decks.slug),
      'title', coalesce(cheatsheets.title, tests.definition ->> 'name', decks.name, part.title),
      'share_percent', share_percent,
      'available', kind = 'personal' or (
        coalesce(cheatsheets.id, tests.id, decks.id) is not null
        and coalesce(cheatsheets.archived_at, tests.archived_at, decks.archived_at) is null)${more}
    ) order by position), '[]')
  from assignment_parts as part
    left join cheatsheets on cheatsheets.id = cheatsheet_id
    left join tests on tests.id = test_id
    left join decks on decks.id = deck_id
  where part.assignment_id = assignments.id)`
}

function select(db: Kysely<Database>, reader?: Reader) {
  const isShown =
    reader === undefined || reader.manages || reader.audits ? sql`true` : sql`(${isOwn(reader)} or ${isLed(reader)})`
  const mayChange = reader === undefined ? sql<boolean>`false` : isChangeable(reader)
  return db
    .selectFrom('assignments')
    .selectAll('assignments')
    .select([
      PARTS.as('parts'),
      sql<number[]>`array(
        select team_id from assignment_teams where assignment_id = assignments.id order by team_id)`.as('team_ids'),
      sql<number[]>`array(
        select user_id from assignment_users
        where assignment_id = assignments.id and ${isShown} order by user_id)`.as('user_ids'),
      sql<StoredAssignment['teams']>`(
        select coalesce(json_agg(json_build_object('id', teams.id, 'name', name) order by name, teams.id), '[]')
        from assignment_teams join teams on teams.id = team_id where assignment_id = assignments.id)`.as('teams'),
      sql<NamedPerson | null>`(
        select json_build_object('id', users.id, 'display_name', display_name)
        from users where users.id = responsible_id)`.as('responsible'),
      sql<string | null>`(select disabled_on from users where users.id = responsible_id)`.as('responsible_disabled_on'),
      mayChange.as('may_change'),
    ])
}

/** A reader of assignments. `manages` is true for administrators, who see and change all assignments. */
export interface Reader {
  id: number
  manages: boolean
  /** Whether the reader is an auditor, who sees all assignments */
  audits: boolean
  /** Whether the reader is an author, who may change some of the own assignments */
  is_author: boolean
  /** Sources whose content the reader may edit */
  editable: Editable
  led: ViewableTeams
}

/**
 * Builds the condition that the reader may change an assignment: as an administrator, or as the author who created it
 * and could create it now, because the reader leads all teams of its audience and may edit all its content.
 */
function isChangeable(reader: Reader) {
  if (reader.manages) return sql<boolean>`true`
  if (!reader.is_author) return sql<boolean>`false`
  return sql<boolean>`(created_by = ${reader.id} and ${leadsAudience(reader)} and ${editsParts(reader)})`
}

/** An assignment whose teams were all deleted has no lead. */
const leadsAudience = ({ led }: Reader) => sql<boolean>`(
  everybody_from is null
  and not exists (select from assignment_users where assignment_id = assignments.id)
  and exists (select from assignment_teams where assignment_id = assignments.id)
  and not exists (
    select from assignment_teams
    where assignment_id = assignments.id and team_id <> all(${led === 'all' ? [] : [...led]}::integer[])))`

/** Ignores parts whose content was deleted. */
const editsParts = ({ editable }: Reader) => sql<boolean>`not exists (
  select from assignment_parts as part
    left join imported_cheatsheets using (cheatsheet_id)
    left join tests on tests.id = test_id
    left join imported_decks using (deck_id)
  where part.assignment_id = assignments.id and num_nonnulls(cheatsheet_id, test_id, deck_id) > 0
    and coalesce(imported_cheatsheets.source_id, tests.source_id, imported_decks.source_id)
      = any(${editable === 'all' ? [] : [...editable]}::integer[]) is not true)`

/**
 * Builds the condition that the reader may see an assignment: the reader is an auditor, may change it or is its
 * responsible person; or the assignment is mandatory and a member of a team that the reader leads has an occurrence of it.
 */
function isReadable(reader: Reader) {
  if (reader.manages || reader.audits) return sql<boolean>`true`
  return sql<boolean>`(${isOwn(reader)} or (
    mandatory and exists (
      select from occurrences where occurrences.assignment_id = assignments.id and ${isLed(reader)})))`
}

const isOwn = (reader: Reader) => sql`(responsible_id = ${reader.id} or ${isChangeable(reader)})`

const isLed = ({ led }: Reader) => sql`user_id in (
  select user_id from team_members
  where until_on is null and team_id = any(${led === 'all' ? [] : [...led]}::integer[]))`

export async function listAssignments(
  db: Kysely<Database>,
  reader: Reader,
  { team, before, limit }: { team?: number | undefined; before: number | undefined; limit: number },
): Promise<StoredAssignment[]> {
  return select(db, reader)
    .where('archived_at', 'is', null)
    .where(isReadable(reader))
    .$if(team !== undefined, (query) =>
      query.where(sql<boolean>`exists (
        select from assignment_teams where assignment_id = assignments.id and team_id = ${team})`),
    )
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/**
 * Returns an assignment; undefined if it does not exist, is archived, or the reader may not see it.
 * @param reader if undefined, the function does not check rights
 */
export async function findAssignment(
  db: Kysely<Database>,
  id: number,
  reader?: Reader,
): Promise<StoredAssignment | undefined> {
  return select(db, reader)
    .where('id', '=', id)
    .where('archived_at', 'is', null)
    .$if(reader !== undefined, (query) => query.where(isReadable(reader as Reader)))
    .executeTakeFirst()
}

/** Returns the parts of an assignment; undefined if it does not exist or is archived. */
export async function findParts(db: Kysely<Database>, id: number): Promise<StoredPart[] | undefined> {
  const row = await db
    .selectFrom('assignments')
    .select(PARTS.as('parts'))
    .where('id', '=', id)
    .where('archived_at', 'is', null)
    .executeTakeFirst()
  return row?.parts
}

export interface AssignmentDetails {
  /** All persons who were added individually; not restricted to those that a reader may see */
  persons: NamedPerson[]
  /** Whether any person has completed a part */
  parts_in_use: boolean
  /**
   * For each part, the time of the last change of its sheet, of the last publication of its test, or of the last change
   * of a card of its deck; null for a `personal` part, deleted content or an empty deck
   */
  changed_at: (string | null)[]
}

export async function findDetails(db: Kysely<Database>, id: number): Promise<AssignmentDetails> {
  const { rows } = await sql<AssignmentDetails>`
    select
      (select coalesce(json_agg(json_build_object('id', users.id, 'display_name', display_name)
          order by display_name, users.id), '[]')
        from assignment_users join users on users.id = user_id where assignment_id = ${id}) as persons,
      exists (
        select from occurrence_parts join occurrences on occurrences.id = occurrence_id where assignment_id = ${id}
      ) as parts_in_use,
      (select coalesce(json_agg(coalesce(
          (select updated_at from cheatsheets where id = cheatsheet_id),
          (select max(published_at) from test_versions where test_versions.test_id = part.test_id),
          (select max(updated_at) from cards where cards.deck_id = part.deck_id)) order by position), '[]')
        from assignment_parts as part where assignment_id = ${id}) as changed_at`.execute(db)
  return rows[0] as AssignmentDetails
}

/** Fields of an assignment that decide who oversees it, with its title and its last day of planning. */
export type Oversight = Pick<AssignmentRow, 'id' | 'title' | 'responsible_id' | 'mandatory' | 'ordered' | 'planned_on'>

export async function findOversight(db: Kysely<Database>, id: number): Promise<Oversight | undefined> {
  return db
    .selectFrom('assignments')
    .select(['id', 'title', 'responsible_id', 'mandatory', 'ordered', 'planned_on'])
    .where('id', '=', id)
    .where('archived_at', 'is', null)
    .executeTakeFirst()
}

export interface ChangeRights {
  created_by: number | null
  /** Whether the user leads all teams of the audience, which contains nobody else */
  leads_audience: boolean
  /** Whether the user may edit the content of all parts */
  edits_parts: boolean
}

/** Returns what decides whether a user who is not an administrator may change the assignment. */
export async function findChangeRights(
  db: Kysely<Database>,
  id: number,
  reader: Reader,
): Promise<ChangeRights | undefined> {
  return db
    .selectFrom('assignments')
    .select(['created_by', leadsAudience(reader).as('leads_audience'), editsParts(reader).as('edits_parts')])
    .where('id', '=', id)
    .where('archived_at', 'is', null)
    .executeTakeFirst()
}

/** Returns how many assignments have no responsible person, or one whose account is disabled today. */
export async function countWithoutResponsible(db: Kysely<Database>, today: string): Promise<number> {
  const { count } = await db
    .selectFrom('assignments')
    .leftJoin('users', 'users.id', 'responsible_id')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('archived_at', 'is', null)
    .where((eb) => eb.or([eb('responsible_id', 'is', null), eb('disabled_on', '<=', today)]))
    .executeTakeFirstOrThrow()
  return count
}

export async function lockAssignment(
  transaction: Transaction<Database>,
  id: number,
): Promise<StoredAssignment | undefined> {
  const locked = await transaction.selectFrom('assignments').select('id').where('id', '=', id).forUpdate().execute()
  return locked.length === 0 ? undefined : findAssignment(transaction, id)
}

export type NewAssignment = Omit<
  AssignmentRow,
  | 'id'
  | 'created_at'
  | 'version'
  | 'renewed_on'
  | 'renewed_at'
  | 'corrected_at'
  | 'planned_on'
  | 'archived_at'
  | 'edit_version'
>

export async function insertAssignment(transaction: Transaction<Database>, row: NewAssignment): Promise<number> {
  const { id } = await transaction.insertInto('assignments').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateAssignment(
  transaction: Transaction<Database>,
  id: number,
  change: Updateable<Database['assignments']>,
): Promise<void> {
  if (Object.keys(change).length === 0) return
  await transaction.updateTable('assignments').set(change).where('id', '=', id).execute()
}

/** Adds 1 to the version that requests of the form are based on. */
export async function raiseEditVersion(transaction: Transaction<Database>, id: number): Promise<void> {
  await transaction
    .updateTable('assignments')
    .set({ edit_version: sql`edit_version + 1` })
    .where('id', '=', id)
    .execute()
}

export async function recordPlanned(db: Kysely<Database>, id: number, today: string): Promise<void> {
  await db.updateTable('assignments').set({ planned_on: today }).where('id', '=', id).execute()
}

export type NewPart = Omit<Selectable<Database['assignment_parts']>, 'assignment_id' | 'position'>

export async function writeParts(
  transaction: Transaction<Database>,
  assignmentId: number,
  parts: readonly NewPart[],
): Promise<void> {
  await transaction.deleteFrom('assignment_parts').where('assignment_id', '=', assignmentId).execute()
  await transaction
    .insertInto('assignment_parts')
    .values(parts.map((part, position) => ({ ...part, assignment_id: assignmentId, position })))
    .execute()
}

/**
 * Replaces the audience of an assignment. Teams and persons that stay keep their `added_on`.
 * @returns the table that lacks one of the ids; undefined if all ids exist
 */
export async function writeAudience(
  transaction: Transaction<Database>,
  assignmentId: number,
  { team_ids, user_ids }: Pick<Audience, 'team_ids' | 'user_ids'>,
  today: string,
): Promise<'teams' | 'users' | undefined> {
  for (const { table, column, of, ids } of [
    { table: 'assignment_teams', column: 'team_id', of: 'teams', ids: team_ids },
    { table: 'assignment_users', column: 'user_id', of: 'users', ids: user_ids },
  ] as const) {
    const [stored, owner] = [sql.table(table), sql.ref(column)]
    await sql`
      delete from ${stored} where assignment_id = ${assignmentId} and ${owner} <> all(${ids}::integer[])`.execute(
      transaction,
    )
    await sql`
      insert into ${stored} (assignment_id, ${owner}, added_on)
      select ${assignmentId}, id, ${today}::date from ${sql.table(of)} where id = any(${ids}::integer[])
      order by id for key share
      on conflict do nothing`.execute(transaction)
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${stored} where assignment_id = ${assignmentId}`.execute(transaction)
    if (rows[0]?.count !== ids.length) return of
  }
  return undefined
}

/** Columns of a part that refer to live content, which excludes drafts, pools and archived items. */
export type PartContent = Pick<NewPart, 'cheatsheet_id' | 'test_id' | 'deck_id' | 'title'>

/** @returns the content, with the slug of its original if it is a variant */
export async function findPartContent(
  db: Kysely<Database>,
  kind: 'sheet' | 'test' | 'deck',
  slug: string,
): Promise<{ content: PartContent; original: string | null } | undefined> {
  const none = { cheatsheet_id: null, test_id: null, deck_id: null }
  if (kind === 'test') {
    const test = await findLiveTest(db, slug)
    if (test === undefined) return undefined
    const { id, group_id, definition } = test
    const original = group_id === id ? null : await findSlug(db, group_id)
    return { content: { ...none, test_id: id, title: definition.name }, original }
  }
  if (kind === 'deck') {
    const deck = await db
      .selectFrom('decks')
      .leftJoin('imported_decks', 'imported_decks.deck_id', 'decks.id')
      .select(['decks.id', 'name', originalOf('deck').as('original')])
      .where('slug', '=', slug.normalize('NFC'))
      .where('archived_at', 'is', null)
      .executeTakeFirst()
    return deck && { content: { ...none, deck_id: deck.id, title: deck.name }, original: deck.original }
  }
  const sheet = await db
    .selectFrom('cheatsheets')
    .leftJoin('imported_cheatsheets', 'imported_cheatsheets.cheatsheet_id', 'cheatsheets.id')
    .select(['cheatsheets.id', 'title', originalOf('sheet').as('original')])
    .where('slug', '=', slug.normalize('NFC'))
    .where('archived_at', 'is', null)
    .executeTakeFirst()
  return sheet && { content: { ...none, cheatsheet_id: sheet.id, title: sheet.title }, original: sheet.original }
}

/** Returns the slug of a test, also of one that is not published. */
async function findSlug(db: Kysely<Database>, testId: number): Promise<string> {
  const { slug } = await db.selectFrom('tests').select('slug').where('id', '=', testId).executeTakeFirstOrThrow()
  return slug
}

export async function hasDoneParts(db: Kysely<Database>, assignmentId: number): Promise<boolean> {
  const first = await db
    .selectFrom('occurrence_parts')
    .innerJoin('occurrences', 'occurrences.id', 'occurrence_id')
    .select('occurrence_id')
    .where('assignment_id', '=', assignmentId)
    .limit(1)
    .executeTakeFirst()
  return first !== undefined
}

/**
 * Subquery for the ids of occurrences. Locks these in the order of their ids, as every change of several occurrences must.
 * @param lock `update` before a deletion
 */
export function lockedIds(condition: RawBuilder<unknown>, lock: 'update' | 'no key update') {
  return sql<number>`(select id from occurrences where ${condition} order by id for ${sql.raw(lock)})`
}

function inStates(assignmentId: number, states: readonly OccurrenceState[]) {
  return sql`assignment_id = ${assignmentId} and state = any(${states}::text[])`
}

/**
 * Deletes an assignment with its occurrences. Keeps completed, exempt and recognised occurrences; if there are any, the
 * assignment is archived instead of deleted.
 */
export async function deleteAssignment(transaction: Transaction<Database>, id: number, at: Date): Promise<void> {
  const deleted = inStates(id, [...OPEN_STATES, 'missed', 'left'])
  await transaction.deleteFrom('occurrences').where('id', 'in', lockedIds(deleted, 'update')).execute()
  const { numDeletedRows } = await transaction
    .deleteFrom('assignments')
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('occurrences').select('occurrences.id').where('assignment_id', '=', id))),
    )
    .executeTakeFirst()
  if (numDeletedRows === 0n) {
    await transaction.updateTable('assignments').set({ archived_at: at }).where('id', '=', id).execute()
  }
}

/**
 * Restarts the occurrences of an assignment in the states `open`, `in_progress` and `left`: deletes their done parts
 * and raises `counts_from`, so that attempts and reviews before `at` no longer count.
 */
export async function restartOccurrences(
  transaction: Transaction<Database>,
  id: number,
  { version, at }: { version: number; at: Date },
): Promise<void> {
  await sql`
    with restarted as (
      update occurrences
      set state = case when state = 'left' then state else 'open' end, content_version = ${version}::integer,
        counts_from = greatest(counts_from, ${at}::timestamptz)
      where id in ${lockedIds(inStates(id, [...OPEN_STATES, 'left']), 'no key update')}
      returning id
    )
    delete from occurrence_parts using restarted where occurrence_id = restarted.id`.execute(transaction)
}

export async function listPlannable(db: Kysely<Database>): Promise<number[]> {
  const rows = await db.selectFrom('assignments').select('id').where('archived_at', 'is', null).orderBy('id').execute()
  return rows.map(({ id }) => id)
}

export async function isResponsible(db: Kysely<Database>, userId: number): Promise<boolean> {
  const first = await db
    .selectFrom('assignments')
    .select('id')
    .where('responsible_id', '=', userId)
    .where('archived_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return first !== undefined
}
